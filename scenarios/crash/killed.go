package crash

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/target"
)

// killHeld holds the intent's downstream call, looks where the target stands, kills it, starts it again and retries. The
// held call ends without an answer, as that of a dead caller does.
func killHeld(ctx context.Context, s *target.Stage, when provider.When) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	hold := s.Hold(in, when)
	defer hold.Close()
	first := s.Go(ctx, in, target.Send{})
	if !hold.Arrived(ctx, first) {
		s.Note("the target made no downstream call that could be held")
		first.Wait(ctx)
		return nil
	}
	// A duplicate is sent only where the status does not tell, since it may itself be carried out.
	phase, evidence := s.Look(ctx, in, true)
	if err := s.Kill(ctx, in, phase, evidence); err != nil {
		return err
	}
	hold.Drop()
	first.Wait(ctx)
	if err := s.Restart(ctx); err != nil {
		return err
	}
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	s.Status(ctx, in, "after")
	return nil
}
