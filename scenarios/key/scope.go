package key

import (
	"context"
	"strings"

	"github.com/oncespec/oncespec/scenarios/target"
)

// scope uses the key of a write elsewhere, a trial each.
func scope(ctx context.Context, s *target.Stage) error {
	if len(s.Tenants()) > 1 {
		if err := principal(ctx, s.Trial("principal")); err != nil {
			return err
		}
	}
	if second := s.Second(); second != nil {
		if err := operation(ctx, s.Trial("operation"), target.On(second)); err != nil {
			return err
		}
	}
	return safe(ctx, s.Trial("safe-method"))
}

// principal sends a write, and the same bytes under the same key as another principal. Two controls follow, both as that
// principal: a write of its own under a fresh key, to show that it may write and that its effects are seen, and the same
// payload under a fresh key, to show what in an answer is common to both.
func principal(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, in, "first")
	tenants := s.Tenants()
	as := target.As(tenants[len(tenants)-1])
	other, err := s.Intent(ctx, target.TwinOf(in), target.WithKey(in.Key), as)
	if err != nil {
		return err
	}
	s.Observe(ctx, other, "idle")
	s.Do(ctx, other, target.Send{Label: "other-principal"})
	s.Observe(ctx, other, "after")
	fresh, err := s.Intent(ctx, target.TwinOf(in), as)
	if err != nil {
		return err
	}
	s.Do(ctx, fresh, target.Send{Label: "fresh"})
	return write(ctx, s, "control", as)
}

// operation sends a write, and one of another operation under its key, then one of that operation under a fresh key.
func operation(ctx context.Context, s *target.Stage, on target.IntentOption) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, in, "first")
	if err := write(ctx, s, "other-operation", on, target.WithKey(in.Key)); err != nil {
		return err
	}
	return write(ctx, s, "control", on)
}

// safe reads the target with a key that is not used yet, writes under it, and reads with it again.
func safe(ctx context.Context, s *target.Stage) error {
	path := ""
	for _, e := range s.Operation().Effects {
		if e.HTTP != nil {
			path = e.HTTP.Get
			break
		}
	}
	if path == "" {
		s.Note("no effect of the operation is read by a GET")
		return nil
	}
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	key := [][2]string{{s.Contract().Name, s.Contract().Encode(in.Key)}}
	if !strings.Contains(path, "{answer:") {
		s.Get(ctx, in, "get-plain", path, nil)
		s.Get(ctx, in, "get-with-key", path, key)
	}
	s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, in, "first")
	s.Get(ctx, in, "get-plain-later", path, nil)
	s.Get(ctx, in, "get-with-used-key", path, key)
	return write(ctx, s, "control")
}
