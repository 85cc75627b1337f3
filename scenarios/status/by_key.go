package status

import (
	"context"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target"
)

// byKey looks for an operation whose answer was lost: all that its caller holds is the key.
func byKey(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Fault: link.Plan{DropResponse: true}})
	settled(ctx, s, in, "lost")
	s.Observe(ctx, in, "after")
	return nil
}
