package conflict

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/target"
)

// inFlight holds a write at its downstream call and sends a changed payload under its key meanwhile. A target may let that
// wait: it is given a moment to answer, then the write is let go.
func inFlight(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	hold := s.Hold(in, provider.BeforeBooking)
	defer hold.Close()
	first := s.Go(ctx, in, target.Send{Label: "first"})
	if !hold.Arrived(ctx, first) {
		first.Wait(ctx)
		s.Note("the first attempt was not held at its downstream call")
		return nil
	}
	changed := s.Go(ctx, in, target.Send{Label: "changed", Change: true})
	changed.Sending(ctx)
	changed.Within(ctx, 2*s.Config().Timeouts.Settle)
	hold.Release()
	first.Wait(ctx)
	if s.Class(changed.Wait(ctx)) == contract.InFlightAnswer {
		settle(ctx, s, in, "settled")
		s.Do(ctx, in, target.Send{Label: "changed-later", Change: true})
	}
	s.Observe(ctx, in, "after")
	return control(ctx, s)
}
