package key

import (
	"context"
	"errors"
	"strings"

	"github.com/oncespec/oncespec/scenarios/target"
)

// scope uses the key of a write elsewhere, a trial each.
func scope(ctx context.Context, s *target.Stage) error {
	if len(s.Tenants()) > 1 {
		if err := principal(ctx, s); err != nil {
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

// principal uses the key of a write as another principal: first for the same bytes, which provoke a target that does not ask
// who is calling to give its stored answer away. Where that principal may not send those at all, since they name what is not
// its own, it is told nothing by a refusal; there, and where a parent was made for the intent, it sends a write of its own. Both
// are done one after the other, and then together.
func principal(ctx context.Context, s *target.Stage) error {
	if len(s.Operation().Setup) == 0 {
		may, err := sameBytes(ctx, s.Trial("principal"))
		if err != nil {
			return err
		}
		if err := together(ctx, s, true); may || err != nil {
			return err
		}
	}
	if err := ownBytes(ctx, s.Trial("principal-own")); err != nil {
		return err
	}
	return together(ctx, s, false)
}

// sameBytes sends a write, and the same bytes under the same key as another principal. Two controls follow, both as that
// principal: the same payload under a fresh key, to show what in an answer is common to both, and a write of its own, to show
// that its effects are seen. It tells whether that principal may send the payload at all.
func sameBytes(ctx context.Context, s *target.Stage) (may bool, err error) {
	in, as, err := owned(ctx, s)
	if err != nil {
		return false, err
	}
	other, err := s.Intent(ctx, target.TwinOf(in), target.WithKey(in.Key), as)
	if err != nil {
		return false, err
	}
	s.Observe(ctx, other, "idle")
	may = s.Class(s.Do(ctx, other, target.Send{Label: "other-principal"})).Success()
	s.Observe(ctx, other, "after")
	fresh, err := s.Intent(ctx, target.TwinOf(in), as)
	if err != nil {
		return false, err
	}
	may = s.Class(s.Do(ctx, fresh, target.Send{Label: "fresh"})).Success() || may
	return may, write(ctx, s, "control", as)
}

// ownBytes sends a write, and another principal's own one under the same key, then one more of its own as the control.
func ownBytes(ctx context.Context, s *target.Stage) error {
	in, as, err := owned(ctx, s)
	if err != nil {
		return err
	}
	other, err := s.Intent(ctx, target.WithKey(in.Key), as)
	if refused := (*target.EnvironmentError)(nil); errors.As(err, &refused) {
		s.Note("the other principal's setup was refused: %v", refused)
		return nil
	}
	if err != nil {
		return err
	}
	s.Observe(ctx, other, "idle")
	s.Do(ctx, other, target.Send{Label: "other-principal"})
	s.Observe(ctx, other, "after")
	return write(ctx, s, "control", as)
}

// owned sends the default principal's write, and names another principal.
func owned(ctx context.Context, s *target.Stage) (*target.Intent, target.IntentOption, error) {
	in, err := s.Intent(ctx)
	if err != nil {
		return nil, nil, err
	}
	s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, in, "first")
	return in, target.As(s.Stranger()), nil
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
	path := s.ListPath()
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
