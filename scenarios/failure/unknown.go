package failure

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// unknown books the downstream call and loses its answer, and every answer to a question about it: nobody can know what
// happened. After a retry downstream answers again, and one more retry follows.
func unknown(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	heal := s.LoseDownstream(in, target.UntilHealed, true)
	defer heal()
	s.Do(ctx, in, target.Send{})
	s.Do(ctx, in, target.Send{})
	s.Observe(ctx, in, "silent")
	heal()
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
