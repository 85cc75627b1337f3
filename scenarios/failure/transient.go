package failure

import (
	"context"
	"net/http"

	"github.com/oncespec/oncespec/scenarios/target"
)

// transient lets every downstream call of the first attempt fail, nothing booked; the retry finds all well.
func transient(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	heal := s.FailDownstream(in, http.StatusServiceUnavailable, target.UntilHealed)
	defer heal()
	s.Do(ctx, in, target.Send{})
	s.Observe(ctx, in, "failed")
	heal()
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
