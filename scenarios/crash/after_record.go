package crash

import (
	"context"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// afterRecord kills the target at the first byte of its answer: whatever it answers, it must have recorded by then.
func afterRecord(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	first := s.Go(ctx, in, target.Send{Fault: link.Plan{DropResponse: true}})
	phase, evidence := history.PhaseUnknown, []string{"no byte of an answer was seen"}
	if first.Answering(ctx) {
		phase, evidence = history.AfterRecord, []string{"its answer had begun"}
	}
	if err := s.Kill(ctx, in, phase, evidence); err != nil {
		return err
	}
	first.Wait(ctx)
	if err := s.Restart(ctx); err != nil {
		return err
	}
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
