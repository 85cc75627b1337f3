package crash

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target"
)

// cuts is at how many of its round trips an operation is cut off, each way.
const cuts = 6

// storeLink cuts the link to the database at round trips of an operation: while a request to the database is held, which it never
// hears, and while its answer is, which nobody ever hears. The link is mended once the attempt is over, or after a while.
func storeLink(ctx context.Context, s *target.Stage) error {
	s.Note("each cut is a trial of its own")
	_, trips, err := calibrate(ctx, s.Trial(calibration))
	if err != nil || trips == 0 {
		return err
	}
	for _, dir := range []link.Direction{link.Requests, link.Answers} {
		order := s.Rand().Perm(trips)
		for _, n := range order[:min(trips, cuts)] {
			if err := cutBetween(ctx, s.Trial(fmt.Sprintf("%s=%d", dir, n+1)), dir, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func cutBetween(ctx context.Context, s *target.Stage, dir link.Direction, skip int) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	hold := s.HoldStore(in, dir, skip)
	defer hold.Release()
	first := s.Go(ctx, in, target.Send{})
	if !hold.Arrived(ctx, first, 1) {
		s.Note("it was over before that")
	}
	_, mend := s.CutStore(in)
	hold.Release()
	first.Within(ctx, s.Config().Timeouts.Settle)
	mend()
	first.Wait(ctx)
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	s.Status(ctx, in, "after")
	return nil
}
