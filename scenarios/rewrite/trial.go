package rewrite

import (
	"encoding/json"
	"fmt"
	"net/url"
)

// Change gives one place of a sample another value. Values stay as they are spelled.
type Change struct {
	At    string `json:"at"`              // a JSON Pointer, or ?NAME for a query parameter
	Value string `json:"value,omitempty"` // JSON, or the parameter's text
	Drop  bool   `json:"drop,omitempty"`  // the member of the body that is there goes
}

// Trial is one case of a search: changes that make A out of the sample, and the rewrite that makes B out of A. It is data, so
// a case can be kept, made smaller and run again.
type Trial struct {
	Rewrite string   `json:"rewrite"` // its id
	Changes []Change `json:"changes,omitempty"`
	Site    Site     `json:"site"`
	Choice  int      `json:"choice,omitempty"`
}

// ID names the trial by all that makes it.
func (t Trial) ID() string {
	text, err := json.Marshal(t)
	if err != nil {
		return fmt.Sprintf("%+v", t) // nothing in it cannot be written
	}
	return string(text)
}

// With is the sample with changes made. What may vary stays as it was; a change at a unique marker is refused.
func (s *Sample) With(changes ...Change) (*Sample, error) {
	if len(changes) == 0 {
		return s, nil
	}
	out := *s
	out.request, out.drawn = s.Request(), &drawn{}
	if out.root != nil {
		out.root = s.root.Clone()
	}
	for _, c := range changes {
		if err := out.change(c); err != nil {
			return nil, fmt.Errorf("change at %s: %w", c.At, err)
		}
	}
	if out.root != nil {
		out.request.Body = out.root.Append(s.room())
	}
	return &out, nil
}

// change acts on a sample whose tree is nobody else's.
func (s *Sample) change(c Change) error {
	switch {
	case len(c.At) > 0 && c.At[0] == '?':
		return s.changePair(false, c)
	case s.request.isForm():
		return s.changePair(true, c)
	case s.parts != nil:
		return s.changePart(c)
	}
	at, err := ParsePointer(c.At)
	if err != nil {
		return err
	}
	if s.holdsUnique(at) {
		return fmt.Errorf("a unique marker is there, which never varies")
	}
	if s.root == nil {
		return fmt.Errorf("the request has no JSON body")
	}
	if c.Drop {
		return s.drop(at)
	}
	value, err := Parse([]byte(c.Value))
	if err != nil {
		return err
	}
	if !s.root.put(at, value) {
		return fmt.Errorf("the body has no such place")
	}
	return nil
}

// drop takes a member out of the body.
func (s *Sample) drop(at Pointer) error {
	p, found := s.root.find(at)
	if !found || p.parent == nil || p.parent.Kind != Object {
		return fmt.Errorf("the body has no such member")
	}
	p.parent.remove(p.index)
	return nil
}

// changePair gives a parameter of the query, or a field of the form, another text.
func (s *Sample) changePair(form bool, c Change) error {
	raw := s.request.pairsOf(form)
	params := splitQuery(raw)
	key, ok := pairKey(form, c.At)
	i := firstOf(raw, key)
	if !ok || i < 0 {
		return fmt.Errorf("the request has no query parameter or field of that name")
	}
	params[i].value, params[i].equals = url.QueryEscape(c.Value), true
	s.request.setPairs(form, joinQuery(params))
	return nil
}

// Pair makes the pair of a trial. It is false where the trial does not fit the sample.
func (s *Sample) Pair(t Trial) (Pair, bool) {
	rewrite, known := Find(t.Rewrite)
	changed, err := s.With(t.Changes...)
	if err != nil || !known {
		return Pair{}, false
	}
	pair, ok := rewrite.Apply(changed, t.Site, t.Choice)
	pair.Prepared = !pair.A.Equal(s.request)
	return pair, ok
}
