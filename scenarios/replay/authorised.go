package replay

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// authorised sends a write, then the same bytes under the same key as another principal and as nobody: both stand for a
// caller that lost its access.
//
// Each of them acts as an intent of its own, since it may rightly execute its own write. The state before and after tells
// that from a stored answer. At the end the owner asks again, to show that there was something to give away, and the payload
// is sent under a fresh key, to show what in the first answer is the first one's own.
func authorised(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	first := s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, in, "first")
	if c := s.Class(first); !c.Success() {
		s.Note("the first attempt was answered %s: there is nothing to give away", c)
		return nil
	}
	for _, who := range []struct {
		tenant string
		send   target.Send
	}{
		{s.Stranger(), target.Send{Label: "other-principal"}},
		{in.Tenant, target.Send{Label: "no-credentials", Credentials: target.NoCreds}},
	} {
		stranger, err := s.Intent(ctx, target.TwinOf(in), target.WithKey(in.Key), target.As(who.tenant))
		if err != nil {
			return err
		}
		s.Observe(ctx, stranger, "idle")
		s.Do(ctx, stranger, who.send)
		s.Observe(ctx, stranger, "after")
	}
	retry(ctx, s, in)
	control, err := s.Intent(ctx, target.TwinOf(in))
	if err != nil {
		return err
	}
	s.Do(ctx, control, target.Send{Label: "control"})
	return nil
}
