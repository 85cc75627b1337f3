package failure

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// refusals is how often a refused payload is sent again.
const refusals = 2

// business sends a payload that the business refuses for good, and sends it again.
func business(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Sample: "refused"})
	for range refusals {
		again(ctx, s, in, target.Send{Sample: "refused"})
	}
	s.Observe(ctx, in, "after")
	return nil
}
