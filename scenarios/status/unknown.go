package status

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// unknown reads the status when the downstream call was booked, its answer lost, and downstream does not say what happened.
func unknown(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	heal := s.LoseDownstream(in, target.UntilHealed, true)
	defer heal()
	s.Do(ctx, in, target.Send{})
	s.Status(ctx, in, "unknown")
	s.Observe(ctx, in, "silent")
	heal()
	s.Resolve(ctx, in, target.Send{})
	settled(ctx, s, in, "done")
	s.Observe(ctx, in, "after")
	return nil
}
