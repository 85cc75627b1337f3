package failure

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// handlerCrash sends a payload on which the handler breaks, and sends it again.
func handlerCrash(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	first := s.Do(ctx, in, target.Send{Sample: "crash"})
	retry := target.Send{Sample: "crash", Label: "retry"}
	if a := s.Do(ctx, in, retry); s.Class(a) == contract.InFlightAnswer || silent(first, a) {
		s.Resolve(ctx, in, retry)
	}
	s.Status(ctx, in, "after")
	s.Observe(ctx, in, "after")
	return nil
}

// silent tells whether a retry reached the target and was not answered, other than by the break that the first attempt ended
// with: a handler that breaks the connection does so each time.
func silent(first, retry *history.Attempt) bool {
	return retry.Outcome == history.Lost && retry.Link.RequestWhole && retry.Reason != first.Reason
}
