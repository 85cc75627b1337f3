package probe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// longMark is how long a marker is that cannot be part of anything by chance: it is also found inside a text, since a target
// may decorate what it was given. A shorter one has to be all of it.
const longMark = 12

// matcher decides which items of a list belong to the intent.
type matcher struct {
	isolate string
	parents []*template.Template // what of the setup a query narrows by
}

func newMatcher(op *config.Operation, holes []template.Placeholder) matcher {
	m := matcher{isolate: op.Isolate}
	for _, p := range holes {
		if p.Name != "setup" {
			continue
		}
		if t, err := template.Parse(p.String()); err == nil {
			m.parents = append(m.parents, t)
		}
	}
	return m
}

func (m matcher) pick(all []item, s Subject) []item {
	switch m.isolate {
	case config.Marker:
		return slices.DeleteFunc(slices.Clone(all), func(it item) bool { return !holds(it.value, s.Markers) })
	case config.Parent:
		return m.ofParent(all, s)
	}
	return all
}

// ofParent takes all items: the list is the parent's. One that ignores its filter is told by items that name the parent
// beside others that do not; only the former belong to it. Ids that are short could be anything and tell nothing.
func (m matcher) ofParent(all []item, s Subject) []item {
	for _, t := range m.parents {
		id, err := t.Expand(s.Vars)
		if err != nil || len(id) < longMark {
			continue
		}
		var named []item
		for _, it := range all {
			if equals(it.value, id) {
				named = append(named, it)
			}
		}
		if len(named) > 0 {
			all = named
		}
	}
	return all
}

// holds tells whether a text or a number below a value carries one of the markers.
func holds(value any, markers []string) bool {
	return anyLeaf(value, func(leaf string, isText bool) bool {
		return slices.ContainsFunc(markers, func(m string) bool {
			return m != "" && (leaf == m || isText && len(m) >= longMark && strings.Contains(leaf, m))
		})
	})
}

// equals tells whether a text or a number below a value is exactly this.
func equals(value any, text string) bool {
	return anyLeaf(value, func(leaf string, _ bool) bool { return leaf == text })
}

func anyLeaf(value any, is func(leaf string, isText bool) bool) bool {
	switch v := value.(type) {
	case string:
		return is(v, true)
	case json.Number:
		return is(v.String(), false)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return anyLeaf(item, is) })
	case map[string]any:
		for _, member := range v {
			if anyLeaf(member, is) {
				return true
			}
		}
	}
	return false
}
