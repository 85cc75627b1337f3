package status

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// authorised reads the status of a completed operation as its owner, to know that it is there, and as everybody else.
func authorised(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{})
	s.Status(ctx, in, "own")
	for _, tenant := range s.Tenants() {
		if tenant != in.Tenant {
			s.StatusAs(ctx, in, "other", tenant)
		}
	}
	s.Observe(ctx, in, "after")
	return nil
}
