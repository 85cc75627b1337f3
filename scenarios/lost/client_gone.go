package lost

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target"
)

// notice is how long a target is given to see that its client is gone. One that does not look needs none of it.
const notice = 100 * time.Millisecond

// breath is a pause before the retries: one that comes too early is told to come back in a second.
const breath = 20 * time.Millisecond

// clientGone hangs up right after the last request byte, and, where there is a gate, also in the middle of the work: a
// target that ties its work to the connection breaks it off there.
func clientGone(ctx context.Context, s *target.Stage) error {
	if err := hungUp(ctx, s.Trial("after sending")); err != nil {
		return err
	}
	if s.Has(catalogue.NeedGate) {
		return leftWorking(ctx, s.Trial(trialWork))
	}
	return nil
}

func hungUp(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{HangUp: true})
	s.Do(ctx, in, target.Send{}) // at once, as long as the target may still be at work
	pass(ctx, breath)
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
	pass(ctx, notice)
	hold.Release()
	pass(ctx, breath)
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}

func pass(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
