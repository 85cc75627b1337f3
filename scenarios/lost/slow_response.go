package lost

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target"
)

// trialWork names the trials, here and in client-gone, in which the work itself is held.
const trialWork = "work held"

// patience is how long a retry that arrives while the first works is given to be answered or to do harm. A target may let
// it wait for the first instead, so nothing is concluded from its end.
const patience = 300 * time.Millisecond

// slowResponse lets the client give up while its answer is held on the link, and, where there is a gate, while the work
// itself is held there. A retry arrives during that, and one more when it is over.
func slowResponse(ctx context.Context, s *target.Stage) error {
	if err := answerHeld(ctx, s.Trial("answer held")); err != nil {
		return err
	}
	if s.Has(catalogue.NeedGate) {
		return workHeld(ctx, s.Trial(trialWork))
	}
	return nil
}

func answerHeld(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	giveUp := make(chan struct{})
	first := s.Go(ctx, in, target.Send{GiveUp: giveUp, Fault: link.Plan{HoldResponse: true}})
	first.Answering(ctx)
	close(giveUp)
	first.Wait(ctx)
	s.Do(ctx, in, target.Send{Label: "during"})
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}

func workHeld(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	hold := s.Hold(in, provider.BeforeBooking)
	defer hold.Close()
	giveUp := make(chan struct{})
	first := s.Go(ctx, in, target.Send{GiveUp: giveUp})
	hold.Arrived(ctx, first)
	close(giveUp)
	first.Wait(ctx)
	during := s.Go(ctx, in, target.Send{Label: "during"})
	during.Sending(ctx)
	during.Within(ctx, patience)
	hold.Release()
	during.Wait(ctx)
	target.Pause(ctx, breath)
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
