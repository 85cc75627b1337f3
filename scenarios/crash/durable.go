package crash

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// durable kills the target when the operation is over and its caller knows, and sends it once more before and after.
func durable(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{})
	s.Resolve(ctx, in, target.Send{Label: "before"})
	s.Observe(ctx, in, "completed")
	if err := s.Kill(ctx, in, history.AfterRecord, []string{"it was answered"}); err != nil {
		return err
	}
	if err := s.Restart(ctx); err != nil {
		return err
	}
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
