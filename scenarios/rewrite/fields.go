package rewrite

import (
	"fmt"
	"slices"
)

// varyField adds what may change of a form's or multipart body's field.
func (s *Sample) varyField(name string, vary Vary) error {
	at, err := ParsePointer(name)
	if err != nil {
		return err
	}
	now, found := "", false
	if len(at) == 1 {
		now, found = s.field(at[0])
	}
	if !found {
		return fmt.Errorf("%s: the request body has no field of that name", name)
	}
	compiled, err := compile(vary, text(now))
	s.fields[at[0]] = compiled
	return wrap(name, err)
}

// field is the text of the first field of a name.
func (s *Sample) field(name string) (string, bool) {
	if s.parts != nil {
		if i := s.parts.first(name); i >= 0 {
			return string(s.parts.list[i].body), true
		}
		return "", false
	}
	raw := string(s.request.Body)
	if i := firstOf(raw, name); i >= 0 {
		return splitQuery(raw)[i].text(), true
	}
	return "", false
}

// grantField tells whether a field of the body may change.
func (s *Sample) grantField(name string) (r *rule, guess, ok bool) {
	switch {
	case slices.Contains(s.policy.Fixed, Pointer{name}.String()), s.ignored(Pointer{name}):
		return nil, false, false
	case len(s.policy.Vary) == 0:
		return anything, true, true
	}
	r, ok = s.fields[name]
	return r, false, ok
}
