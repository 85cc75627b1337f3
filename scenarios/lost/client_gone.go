package lost

import (
	"context"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target"
)

// notice is how long a target is given to see that its client is gone. One that does not look needs none of it.
const notice = 100 * time.Millisecond

// breath is a pause before the retries: one that comes too early is told to come back in a second.
const breath = 20 * time.Millisecond

// trialMiddle begins the names of trials whose client may be answered before it goes: nobody knows how long the work takes
// this time.
const trialMiddle = "in the middle"

// clientGone hangs up at three moments: right after the last request byte; in the middle of the work, by its usual length;
// and, where there is a gate, while the work is held there. A target that ties its work to the connection then breaks it off.
// Where the moment is left to chance, some rounds make it happen.
func clientGone(ctx context.Context, s *target.Stage) error {
	control, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	usual := s.Do(ctx, control, target.Send{Label: "control"}).Link
	works := time.Duration(usual.FirstByteAt-usual.LastRequestAt) * time.Microsecond

	for round := range 3 {
		trial := s.Trial(fmt.Sprintf("after sending, round %d", round+1))
		if err := hungUp(ctx, trial, func(in *target.Intent) {
			trial.Do(ctx, in, target.Send{HangUp: true})
		}); err != nil {
			return err
		}
	}
	for _, percent := range []int{30, 70} {
		trial := s.Trial(fmt.Sprintf("%s, after %d %% of the usual time", trialMiddle, percent))
		if err := hungUp(ctx, trial, func(in *target.Intent) {
			leaveAfter(ctx, trial, in, works*time.Duration(percent)/100)
		}); err != nil {
			return err
		}
	}
	if s.Has(catalogue.NeedGate) {
		return leftWorking(ctx, s.Trial(trialWork))
	}
	return nil
}

// leaveAfter hangs up when the target has had the request for so long.
func leaveAfter(ctx context.Context, s *target.Stage, in *target.Intent, d time.Duration) {
	gone := make(chan struct{})
	first := s.Go(ctx, in, target.Send{GiveUp: gone})
	if first.Sending(ctx) {
		target.Pause(ctx, d)
	}
	close(gone)
	first.Wait(ctx)
}

// hungUp lets the client send and leave, and retries.
func hungUp(ctx context.Context, s *target.Stage, leave func(*target.Intent)) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	leave(in)
	s.Do(ctx, in, target.Send{}) // at once, as long as the target may still be at work
	target.Pause(ctx, breath)
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}

func leftWorking(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	hold := s.Hold(in, provider.BeforeBooking)
	defer hold.Close()
	gone := make(chan struct{})
	first := s.Go(ctx, in, target.Send{GiveUp: gone})
	hold.Arrived(ctx, first)
	close(gone)
	first.Wait(ctx)
	target.Pause(ctx, notice)
	hold.Release()
	target.Pause(ctx, breath)
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
