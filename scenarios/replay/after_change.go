package replay

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// afterChange sends a write, changes the resource that it made, and sends the write again.
func afterChange(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	first := s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, in, "first")
	if c := s.Class(first); !c.Success() {
		s.Note("the first attempt was answered %s: there is nothing to change", c)
		return nil
	}
	s.Alter(ctx, in, first)
	retry(ctx, s, in)
	s.Observe(ctx, in, "after")
	return nil
}
