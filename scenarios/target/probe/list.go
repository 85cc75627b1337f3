package probe

import (
	"context"
	"crypto/sha256"
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
	maxListBytes = 32 << 20
	maxHead      = 500 // bytes of an item that are kept to name it by
)

// list counts resources in a list that the target serves, page by page.
type list struct {
	path  *template.Template
	items *jsonpath.Path
	id    *jsonpath.Path // nil: the member "id", where there is one
	next  *jsonpath.Path // nil: one page
	match matcher

	written string // items, as configured
}

func newList(op *config.Operation, c *config.HTTPEffect) (*Probe, error) {
	l := &list{written: c.Items}
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

// item is a resource of the list. Its value is not kept: a list may be long.
type item struct {
	head    string
	id      string
	named   bool   // it has an id
	parents uint64 // which of the parents it names, a bit each
}

func (l *list) read(ctx context.Context, from Source, s Subject) (Reading, error) {
	path, err := l.path.Expand(s.Vars)
	if err != nil {
		return Reading{}, err
	}
	w := walk{list: l, from: from, subject: s, picker: l.match.picker(s), earlier: map[[sha256.Size]byte]bool{}}
	if err := w.pages(ctx, from.Base+path); err != nil {
		return Reading{}, err
	}
	var r Reading
	for _, it := range w.picker.ofParents(w.items) {
		if l.id != nil && !it.named {
			return Reading{}, fmt.Errorf("expected an id at %s, found none in the item %s", l.id, it.head)
		}
		r.Count++
		if it.named {
			r.IDs = append(r.IDs, it.id)
		}
	}
	if len(r.IDs) != r.Count {
		r.IDs = nil // some have none: the counts have to do
	}
	return r, nil
}

// walk is one reading of the whole list.
type walk struct {
	*list
	from    Source
	subject Subject
	picker  picker
	items   []item                     // those that may belong to the intent
	seen    int                        // all of them
	earlier map[[sha256.Size]byte]bool // items of the pages before
}

func (w *walk) pages(ctx context.Context, at string) error {
	visited := map[string]bool{}
	size := int64(0)
	for page := 1; at != ""; page++ {
		if visited[at] {
			return fmt.Errorf("expected a list that ends, found that page %d leads back to %s", page-1, head(at, 200))
		}
		if page > maxPages {
			return fmt.Errorf("expected a list that ends, found more than %d pages", maxPages)
		}
		visited[at] = true
		answer, err := get(ctx, w.from, at, w.subject.Headers)
		if err != nil {
			return err
		}
		if size += answer.Length; size > maxListBytes {
			return fmt.Errorf("expected a list that ends, found more than %d MiB in %d pages", maxListBytes>>20, page)
		}
		doc, err := document(at, answer)
		if err != nil {
			return err
		}
		found := w.list.items.Select(doc)
		if w.seen += len(found); w.seen > maxListItems {
			return fmt.Errorf("expected a list that ends, found more than %d items in %d pages", maxListItems, page)
		}
		w.add(found)
		if at, err = w.following(at, doc); err != nil {
			return err
		}
	}
	return nil
}

// add takes a page, without the items that an earlier page had: when something is added while a list is read, items move on to
// the next page. Equal items of one page, and items without an id, are all counted.
func (w *walk) add(found []any) {
	page := make([][sha256.Size]byte, 0, len(found))
	for _, value := range found {
		text := compact(value)
		it := item{head: head(text, maxHead)}
		it.id, it.named = w.idOf(value)
		sum := sha256.Sum256([]byte(text))
		if it.named && w.earlier[sum] {
			continue
		}
		page = append(page, sum)
		var belongs bool
		if it.parents, belongs = w.picker.look(value); belongs {
			w.items = append(w.items, it)
		}
	}
	for _, sum := range page {
		w.earlier[sum] = true
	}
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
