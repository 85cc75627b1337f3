package crash

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	// unheard is how many of an operation's requests to the database are cut off, one in each trial; fewer than with answers,
	// since less depends on where the cut is.
	unheard = 4
	// How many round trips an operation takes varies with whatever else the target says to its database: it has ended where it
	// was over in so many trials in a row.
	overInARow = 3
	// doubts is how many cuts are wanted between an effect and the answer that tells of it. As many may miss it: what else the
	// target says to its database can stand for the operation's own words, which then passes while it is looked at.
	doubts     = 3
	blindLooks = 3 // in a row; a target that cannot be looked at so often while it waits cannot be at all
)

// Trials of cuts that come when an effect is seen, before the target can know of it.
const doubtful = "doubtful"

// storeLink cuts the link to the database at round trips of an operation: while a request to the database is held, which it never
// hears, and while its answer is, which nobody ever hears, above all the answer that tells of the effect. The link is mended once
// the attempt is over, or after a while.
func storeLink(ctx context.Context, s *target.Stage) error {
	s.Note("each cut is a trial of its own")
	for hit, missed := 0, 0; hit < doubts && missed < doubts; {
		found, blind, err := cutInDoubt(ctx, s.Trial(fmt.Sprintf("%s=%d", doubtful, hit+missed+1)))
		if err != nil {
			return err
		}
		if found {
			hit++
		} else if missed++; blind {
			break
		}
	}
	last := 0 // the latest round trip that an operation was seen to make
	for n, over := 0, 0; over < overInARow && n < roundTrips; n++ {
		before, err := cutBetween(ctx, s, link.Answers, n)
		if err != nil {
			return err
		}
		if over++; before {
			last, over = n, 0
		}
	}
	trips := last + 1
	for _, n := range s.Rand().Perm(trips)[:min(trips, unheard)] {
		if _, err := cutBetween(ctx, s, link.Requests, n); err != nil {
			return err
		}
	}
	return nil
}

// cutInDoubt goes through an operation from one answer of the database to the next, looks at each whether its effect is there,
// and cuts where it is: the database has made it, and the target has not been told. Blind: nothing can be looked at meanwhile.
func cutInDoubt(ctx context.Context, s *target.Stage) (found, blind bool, err error) {
	in, err := s.Intent(ctx)
	if err != nil {
		return false, false, err
	}
	hold := s.HoldStore(in, link.Answers, 0)
	defer hold.Release()
	first := s.Go(ctx, in, target.Send{})
	for unseen := 0; !blind && !first.Over() && hold.Arrived(ctx, first, 1); {
		shows, err := hold.Shows(ctx)
		if shows {
			found = !first.Over()
			break
		}
		if unseen++; err == nil {
			unseen = 0
		}
		blind = unseen == blindLooks
		hold.Step()
	}
	return found, blind, cutAndRetry(ctx, s, in, hold, first)
}

// cutBetween cuts when so many pieces have gone that way; false: the operation was over before that.
func cutBetween(ctx context.Context, parent *target.Stage, dir link.Direction, skip int) (before bool, err error) {
	s := parent.Trial(fmt.Sprintf("%s=%d", dir, skip+1))
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
	return before, cutAndRetry(ctx, s, in, hold, first)
}

// cutAndRetry takes the link away, with what is held in it, mends it and retries.
func cutAndRetry(ctx context.Context, s *target.Stage, in *target.Intent, hold *target.StoreHold, first *target.Flight) error {
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
