package key

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target"
)

// identity sends writes under keys that are hard to tell apart, a trial each. Their payloads differ, so that a target which
// takes two keys for one has to refuse the second write or answer it wrongly; only the last trial sends one payload twice.
func identity(ctx context.Context, s *target.Stage) error {
	if err := plain(ctx, s.Trial("plain")); err != nil {
		return err
	}
	if err := letterCase(ctx, s.Trial("case")); err != nil {
		return err
	}
	if err := longest(ctx, s.Trial("longest")); err != nil {
		return err
	}
	return twins(ctx, s.Trial("twins"))
}

// plain sends two writes; what they send downstream is judged by another pack.
func plain(ctx context.Context, s *target.Stage) error {
	for _, label := range []string{"one", "two"} {
		if err := write(ctx, s, label); err != nil {
			return err
		}
	}
	return nil
}

// write does one write and looks at its effect, before anybody else acts.
func write(ctx context.Context, s *target.Stage, label string, opts ...target.IntentOption) error {
	in, err := s.Intent(ctx, opts...)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: label})
	s.Observe(ctx, in, "after")
	return nil
}

// letterCase sends a write under a key in lower case, one under the same in upper case, and one under another key in upper
// case: a target that takes none of those refuses the second for another reason.
func letterCase(ctx context.Context, s *target.Stage) error {
	lower, upper, ok := cases(s.Contract().Key)
	_, stranger, another := cases(s.Contract().Key)
	if !ok || !another {
		s.Note("the declared syntax has no two keys that differ in case only")
		return nil
	}
	if err := write(ctx, s, "first", target.WithKey(lower)); err != nil {
		return err
	}
	if err := write(ctx, s, "second", target.WithKey(upper)); err != nil {
		return err
	}
	return write(ctx, s, "control", target.WithKey(stranger))
}

// cases makes two keys that differ in letter case only.
func cases(syntax contract.Key) (lower, upper string, ok bool) {
	if syntax.FoldsCase() {
		return "", "", false
	}
	key, err := syntax.New(contract.ShapeRandom, rand.Reader)
	if err != nil {
		return "", "", false
	}
	lower, upper = strings.ToLower(key), strings.ToUpper(key)
	return lower, upper, lower != upper && syntax.Check(lower) == nil && syntax.Check(upper) == nil
}

// longest sends writes under two keys of the longest allowed length that differ in the last character.
func longest(ctx context.Context, s *target.Stage) error {
	syntax := s.Contract().Key
	key, err := syntax.New(contract.ShapeLongest, rand.Reader)
	if err != nil {
		s.Note("%v", err)
		return nil
	}
	twin, err := syntax.Twin(key)
	if err != nil {
		s.Note("%v", err)
		return nil
	}
	if err := write(ctx, s, "first", target.WithKey(key)); err != nil {
		return err
	}
	return write(ctx, s, "second", target.WithKey(twin))
}

// twins sends one payload under two keys, then a changed payload with the same unique leaves under a third. An API in which
// those leaves are an identity of their own makes nothing new of either; one that only compares payloads lets the changed one
// through.
func twins(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	twin, err := s.Intent(ctx, target.TwinOf(in))
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, twin, "first")
	s.Do(ctx, twin, target.Send{Label: "second"})
	s.Observe(ctx, twin, "second")
	if !s.Has(catalogue.NeedChange) {
		return nil
	}
	other, err := s.Intent(ctx, target.TwinOf(in))
	if err != nil {
		return err
	}
	s.Do(ctx, other, target.Send{Label: "changed", Change: true})
	s.Observe(ctx, twin, "changed")
	return nil
}
