package lost

import (
	"context"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target"
)

// partialResponse cuts the answer in the middle of its body. How long an answer is, it learns from an intent of its own.
func partialResponse(ctx context.Context, s *target.Stage) error {
	control, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	whole := s.Do(ctx, control, target.Send{Label: "control"})
	cut := whole.Link.ResponseBytes / 2 // an answer without a body is cut in its header
	if whole.Answer != nil && whole.Answer.Body.Length > 1 {
		cut = whole.Link.ResponseBytes - whole.Answer.Body.Length/2
	}

	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Fault: link.Plan{CutResponse: cut}})
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
