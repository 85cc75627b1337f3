package crash

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/target"
)

// fencing freezes the instance that has claimed the operation while its downstream call is held, retries at another until that
// has taken over, and lets the first go on where it was.
func fencing(ctx context.Context, s *target.Stage) error {
	if _, err := s.Replicas(ctx); err != nil {
		return err
	}
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	hold := s.Hold(in, provider.BeforeBooking)
	defer hold.Close()
	limits := s.Config().Timeouts
	owner := s.Go(ctx, in, target.Send{Timeout: limits.Request + limits.Recovery})
	if !hold.Arrived(ctx, owner) {
		s.Note("the target made no downstream call that could be held")
		owner.Wait(ctx)
		return nil
	}
	phase, evidence := s.Look(ctx, in, false)
	if err := s.Instance(0).Pause(ctx, in, phase, evidence); err != nil {
		return err
	}
	taken := s.Resolve(ctx, in, target.Send{Label: "takeover", Replica: 1})
	if s.Class(taken).Success() {
		s.Observe(ctx, in, "taken")
	}
	if err := s.Instance(0).Resume(ctx); err != nil {
		return err
	}
	hold.Release()
	owner.Wait(ctx)
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
