package key

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// inPath sends a write whose path holds its identity, and the same twice more.
func inPath(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	if first := s.Do(ctx, in, target.Send{Label: "first"}); !s.Class(first).Success() {
		s.Note("the first attempt was not answered with a result")
		return nil
	}
	s.Observe(ctx, in, "first")
	s.Do(ctx, in, target.Send{Label: "retry"})
	s.Do(ctx, in, target.Send{Label: "retry"})
	s.Observe(ctx, in, "after")
	return nil
}
