package race

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// How long to wait for the answer to a duplicate while the first is held: long where a refusal is declared, since a late
// refusal breaks no promise; short where the duplicate may wait, since then no answer is expected.
const (
	refusedWithin = 2 * time.Second
	waitsFor      = 300 * time.Millisecond
)

// inFlight sends a duplicate while the first one's downstream call is held, and again when that is over.
func inFlight(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	hold := s.Hold(in, provider.BeforeBooking)
	defer hold.Close()
	first := s.Go(ctx, in, target.Send{})
	hold.Arrived(ctx, first)
	s.Observe(ctx, in, history.WhileHeld)

	duplicate := s.Go(ctx, in, target.Send{Label: "duplicate"})
	duplicate.Sending(ctx)
	within := waitsFor
	if s.Contract().InFlight.Action == contract.ActionRefuse {
		within = refusedWithin
	}
	if duplicate.Within(ctx, within) && s.Class(duplicate.Wait(ctx)).Success() {
		// Where the target answers while its downstream call is held, the first one has its answer too: the duplicate was no
		// early one.
		first.Within(ctx, waitsFor)
	}
	hold.Release()
	first.Wait(ctx)
	duplicate.Wait(ctx)
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, history.Afterwards)
	return nil
}
