package failure

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// validation sends an invalid payload, and then the valid one under the same key, as a caller does who corrects a mistake.
func validation(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Sample: "invalid"})
	s.Resolve(ctx, in, target.Send{Label: "corrected"})
	s.Observe(ctx, in, "after")
	return nil
}
