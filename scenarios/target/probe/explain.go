package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Explain says what is read where an effect was expected and none is seen, and which part of the effect in the configuration is
// to blame, such as http/items. Both are empty where nothing more can be told.
func (p *Probe) Explain(ctx context.Context, from Source, s Subject) (what, part string) {
	l, ok := p.reader.(*list)
	if !ok {
		return "", ""
	}
	from.Base = strings.TrimRight(from.Base, "/")
	if from.Client == nil {
		from.Client = standard
	}
	path, err := l.path.Expand(s.Vars)
	if err != nil {
		return "", ""
	}
	answer, err := get(ctx, from, from.Base+path, s.Headers)
	if err != nil {
		return "", ""
	}
	doc, err := document(from.Base+path, answer)
	if err != nil {
		return "", ""
	}
	found := l.items.Select(doc)
	if len(found) == 0 {
		if slices.Contains(lists(doc), l.written+" (0)") {
			return fmt.Sprintf("GET %s answers %s: the list at %s is empty", path, head(compact(doc), 200), l.written), "http/get"
		}
		return fmt.Sprintf("GET %s answers %s; there %s finds no item%s", path, head(compact(doc), 200), l.written, others(doc)), "http/items"
	}
	first := head(compact(found[0]), 200)
	return fmt.Sprintf("of %d that GET %s shows at %s none is the one that was made, whose unique value is %q; the first is %s; the list has to show that field, and the newest",
		len(found), path, l.written, strings.Join(s.Markers, ", "), first), "http/get"
}

// lists names those of a document, with paths that find their items and how many these are.
func lists(doc any) (all []string) {
	eachList("$", doc, 0, func(path string, n int) {
		all = append(all, fmt.Sprintf("%s[*] (%d)", path, n))
	})
	return all
}

// others says which lists a document has besides.
func others(doc any) string {
	lists := lists(doc)
	switch n := len(lists); {
	case n == 0:
		return ", and there is no list in it" + members(doc)
	case n > mostLists:
		lists = append(lists[:mostLists], "…")
	}
	return "; lists in it: " + strings.Join(lists, ", ")
}

const (
	mostLists   = 8
	deepestList = 5
)

func members(doc any) string {
	object, ok := doc.(map[string]any)
	if !ok || len(object) == 0 {
		return ""
	}
	return ", only " + strings.Join(slices.Sorted(maps.Keys(object)), ", ")
}

// eachList walks the lists of a document; of a list's items the first stands for all.
func eachList(path string, value any, depth int, visit func(path string, n int)) {
	if depth > deepestList {
		return
	}
	switch v := value.(type) {
	case []any:
		visit(path, len(v))
		if len(v) > 0 {
			eachList(path+"[*]", v[0], depth+1, visit)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			eachList(path+segment(name), v[name], depth+1, visit)
		}
	}
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func segment(name string) string {
	if plainName.MatchString(name) {
		return "." + name
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return ""
	}
	return "[" + string(quoted) + "]"
}
