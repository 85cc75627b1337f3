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

// How many round trips an operation takes varies with whatever else the target says to its database: it has ended where it was
// over in so many trials in a row. The last round trips, where it commits, are cut more than once, since the same moves them.
const (
	overInARow = 3
	lastTrips  = 7
	timesAgain = 3
)

// storeLink cuts the link to the database at round trips of an operation: while a request to the database is held, which it never
// hears, and while its answer is, which nobody ever hears. The link is mended once the attempt is over, or after a while.
func storeLink(ctx context.Context, s *target.Stage) error {
	s.Note("each cut is a trial of its own")
	last := 0 // the latest round trip that an operation was seen to make
	for n, over := 0, 0; over < overInARow && n < roundTrips; n++ {
		before, err := cutBetween(ctx, s, link.Answers, n, "")
		if err != nil {
			return err
		}
		if over++; before {
			last, over = n, 0
		}
	}
	for again := range timesAgain {
		for n := max(0, last+2-lastTrips); n < last+2; n++ {
			if _, err := cutBetween(ctx, s, link.Answers, n, fmt.Sprintf("-again-%d", again+1)); err != nil {
				return err
			}
		}
	}
	trips := last + 1
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
