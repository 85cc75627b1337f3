package status

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/target"
)

// inProgress reads the status while the downstream call is held.
func inProgress(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	hold := s.Hold(in, provider.BeforeBooking)
	defer hold.Close()
	first := s.Go(ctx, in, target.Send{})
	hold.Arrived(ctx, first)
	s.Observe(ctx, in, "held")
	s.Status(ctx, in, "held")
	hold.Release()
	first.Wait(ctx)
	settled(ctx, s, in, "done")
	s.Observe(ctx, in, "after")
	return nil
}
