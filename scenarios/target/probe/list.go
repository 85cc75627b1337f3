package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/theory/jsonpath"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// Bounds of a list. One that goes beyond them is taken for one that never ends.
const (
	maxPages     = 1000
	maxListItems = 50_000
	maxListBytes = 64 << 20
)

// list counts resources in a list that the target serves, page by page.
type list struct {
	path  *template.Template
	items *jsonpath.Path
	id    *jsonpath.Path // nil: the member "id", where there is one
	next  *jsonpath.Path // nil: one page
	match matcher
}

func newList(op *config.Operation, c *config.HTTPEffect) (*Probe, error) {
	l := &list{}
	var err error
	if l.path, err = template.ParseURL(c.Get); err != nil {
		return nil, fmt.Errorf("http.get %s: %w", c.Get, err)
	}
	if l.items, err = jsonpath.Parse(c.Items); err != nil {
		return nil, fmt.Errorf("http.items %s: %w", c.Items, err)
	}
	if l.id, err = optional(c.ID); err != nil {
		return nil, fmt.Errorf("http.id: %w", err)
	}
	if l.next, err = optional(c.Next); err != nil {
		return nil, fmt.Errorf("http.next: %w", err)
	}
	holes := l.path.Placeholders()
	l.match = newMatcher(op, holes)
	shared := op.Isolate != config.Marker && !tellsApart(op, holes)
	return &Probe{Name: "http", Kind: Resource, Shared: shared, reader: l}, nil
}

func optional(path string) (*jsonpath.Path, error) {
	if path == "" {
		return nil, nil
	}
	p, err := jsonpath.Parse(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func (*list) close() error { return nil }

// item is a resource of the list.
type item struct {
	value any
	text  string // compact JSON
	id    string
	named bool // it has an id
}

func (l *list) read(ctx context.Context, from Source, s Subject) (Reading, error) {
	path, err := l.path.Expand(s.Vars)
	if err != nil {
		return Reading{}, err
	}
	all, err := l.pages(ctx, from, s, from.Base+path)
	if err != nil {
		return Reading{}, err
	}
	var r Reading
	for _, it := range l.match.pick(all, s) {
		if l.id != nil && !it.named {
			return Reading{}, fmt.Errorf("expected an id at %s, found none in the item %s", l.id, head(it.text, maxItem))
		}
		r.add(it.text)
		if it.named {
			r.IDs = append(r.IDs, it.id)
		}
	}
	if len(r.IDs) != r.Count {
		r.IDs = nil // some have none: the counts have to do
	}
	return r, nil
}

// pages reads the whole list.
func (l *list) pages(ctx context.Context, from Source, s Subject, at string) ([]item, error) {
	var all []item
	earlier := map[string]bool{} // items of the pages before
	visited := map[string]bool{}
	size := int64(0)
	for page := 1; ; page++ {
		if visited[at] {
			return nil, fmt.Errorf("expected a list that ends, found that page %d leads back to %s", page-1, at)
		}
		if page > maxPages {
			return nil, fmt.Errorf("expected a list that ends, found more than %d pages", maxPages)
		}
		visited[at] = true
		answer, err := get(ctx, from, at, s.Headers)
		if err != nil {
			return nil, err
		}
		if size += answer.Length; size > maxListBytes {
			return nil, fmt.Errorf("expected a list that ends, found more than %d MiB in %d pages", maxListBytes>>20, page)
		}
		doc, err := document(at, answer)
		if err != nil {
			return nil, err
		}
		found := l.items.Select(doc)
		if len(all)+len(found) > maxListItems {
			return nil, fmt.Errorf("expected a list that ends, found more than %d items in %d pages", maxListItems, page)
		}
		all = append(all, l.fresh(found, earlier)...)
		at, err = l.following(at, doc)
		if err != nil || at == "" {
			return all, err
		}
	}
}

// fresh leaves out what an earlier page had: when something is added while a list is read, its items move on to the next
// page. Two equal items of one page are two, and so are items without an id.
func (l *list) fresh(found []any, earlier map[string]bool) []item {
	var out []item
	for _, value := range found {
		it := item{value: value, text: compact(value)}
		it.id, it.named = l.idOf(value)
		if !it.named || !earlier[it.text] {
			out = append(out, it)
		}
	}
	for _, it := range out {
		earlier[it.text] = true
	}
	return out
}

func (l *list) idOf(value any) (id string, ok bool) {
	if l.id == nil {
		object, isObject := value.(map[string]any)
		if !isObject {
			return "", false
		}
		return scalar(object["id"])
	}
	nodes := l.id.Select(value)
	if len(nodes) != 1 {
		return "", false
	}
	return scalar(nodes[0])
}

// scalar is a text or a number as it is spelled.
func scalar(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, v != ""
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// following is the URL of the next page, or empty.
func (l *list) following(at string, doc any) (string, error) {
	if l.next == nil {
		return "", nil
	}
	nodes := l.next.Select(doc)
	if len(nodes) == 0 || nodes[0] == nil || nodes[0] == "" || nodes[0] == false {
		return "", nil
	}
	text, ok := nodes[0].(string)
	if !ok {
		return "", fmt.Errorf("expected the URL of the next page or null at %s, found %s", l.next, head(compact(nodes[0]), 100))
	}
	here, err := url.Parse(at)
	if err != nil {
		return "", fmt.Errorf("page %s: %w", at, err)
	}
	next, err := here.Parse(text)
	if err != nil {
		return "", fmt.Errorf("expected the URL of the next page at %s, found %q: %w", l.next, head(text, 100), err)
	}
	if next.Host != here.Host || next.User != nil {
		return "", fmt.Errorf("expected the next page on %s, found %q", here.Host, head(text, 100))
	}
	next.Scheme, next.Fragment = here.Scheme, ""
	return next.String(), nil
}

func compact(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
