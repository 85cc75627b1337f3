package failure

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// handlerCrash sends a payload on which the handler breaks, and sends it again.
func handlerCrash(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Sample: "crash"})
	again(ctx, s, in, target.Send{Sample: "crash"})
	s.Status(ctx, in, "after")
	s.Observe(ctx, in, "after")
	return nil
}
