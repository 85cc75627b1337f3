package status

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target"
)

// final reads the status of an operation that succeeded, before and after a replay, and of one that was refused.
func final(ctx context.Context, s *target.Stage) error {
	trial := s.Trial("succeeded")
	in, err := trial.Intent(ctx)
	if err != nil {
		return err
	}
	trial.Do(ctx, in, target.Send{})
	settled(ctx, trial, in, "done")
	trial.Do(ctx, in, target.Send{})
	trial.Status(ctx, in, "again")
	trial.Observe(ctx, in, "after")

	if !s.Has(catalogue.NeedRefused) {
		return nil
	}
	trial = s.Trial("refused")
	if in, err = trial.Intent(ctx); err != nil {
		return err
	}
	trial.Do(ctx, in, target.Send{Sample: "refused"})
	settled(ctx, trial, in, "done")
	return nil
}
