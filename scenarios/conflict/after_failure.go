package conflict

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// afterFailure lets a write fail downstream before anything is booked, then sends another write under its key, and then the
// first write again. The other write has markers of its own, so that the state tells which of the two was executed.
//
// Some targets retry downstream by themselves, so that one failure never reaches the caller; several in a row do.
func afterFailure(ctx context.Context, s *target.Stage) error {
	for _, failures := range []int{1, 8} {
		in, err := s.Intent(ctx)
		if err != nil {
			return err
		}
		heal := s.FailDownstream(in, 500, failures)
		first := s.Do(ctx, in, target.Send{Label: "first"})
		heal()
		s.Observe(ctx, in, "failed")
		if s.Class(first).Success() {
			s.Note("%d failed bookings did not reach the caller", failures)
			s = s.Trial("failures")
			continue
		}
		other, err := rival(ctx, s, in)
		if err != nil {
			return err
		}
		s.Do(ctx, other, target.Send{Label: "changed", Change: true})
		s.Observe(ctx, other, "changed")
		if err := control(ctx, s); err != nil {
			return err
		}
		s.Do(ctx, in, target.Send{Label: "original"})
		s.Observe(ctx, in, "after")
		s.Observe(ctx, other, "after")
		return nil
	}
	return nil
}
