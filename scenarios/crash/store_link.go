package crash

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target"
)

// unheard is how many of an operation's requests to the database are cut off, one in each trial; fewer than with answers,
// since less depends on where the cut is.
const unheard = 4

// The last round trips of an operation, where it commits, are cut more than once: whatever else the target says to its
// database shifts them, so that a single pass may step over the one that matters.
const (
	lastTrips  = 5
	timesAgain = 2
)

// storeLink cuts the link to the database at round trips of an operation: while a request to the database is held, which it never
// hears, and while its answer is, which nobody ever hears. The link is mended once the attempt is over, or after a while.
func storeLink(ctx context.Context, s *target.Stage) error {
	s.Note("each cut is a trial of its own")
	trips := 0
	for before := true; before && trips < roundTrips; trips++ {
		var err error
		if before, err = cutBetween(ctx, s, link.Answers, trips, ""); err != nil {
			return err
		}
	}
	for again := range timesAgain {
		for n := max(0, trips-lastTrips); n < trips; n++ {
			if _, err := cutBetween(ctx, s, link.Answers, n, fmt.Sprintf("-again-%d", again+1)); err != nil {
				return err
			}
		}
	}
	for _, n := range s.Rand().Perm(trips)[:min(trips, unheard)] {
		if _, err := cutBetween(ctx, s, link.Requests, n, ""); err != nil {
			return err
		}
	}
	return nil
}

// cutBetween cuts when so many pieces have gone that way; false: the operation was over before that.
func cutBetween(ctx context.Context, parent *target.Stage, dir link.Direction, skip int, again string) (before bool, err error) {
	s := parent.Trial(fmt.Sprintf("%s=%d%s", dir, skip+1, again))
	in, err := s.Intent(ctx)
	if err != nil {
		return false, err
	}
	hold := s.HoldStore(in, dir, skip)
	defer hold.Release()
	first := s.Go(ctx, in, target.Send{})
	if before = hold.Arrived(ctx, first, 1); !before {
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
	return before, nil
}
