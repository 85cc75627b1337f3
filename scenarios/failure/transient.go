package failure

import (
	"context"
	"net/http"

	"github.com/oncespec/oncespec/scenarios/target"
)

// untilHealed is how many calls a downstream failure meets: more than a target makes for one request.
const untilHealed = 100

// transient lets every downstream call of the first attempt fail, nothing booked; the retry finds all well.
func transient(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	heal := s.FailDownstream(in, http.StatusServiceUnavailable, untilHealed)
	defer heal()
	s.Do(ctx, in, target.Send{})
	s.Observe(ctx, in, "failed")
	heal()
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
