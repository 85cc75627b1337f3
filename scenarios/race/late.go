package race

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// late asks again for what was still in progress when it was last asked for: a target that works long where many come at once is
// slow, and only one that is as far when much else was done is stuck.
func late(ctx context.Context, s *target.Stage) error {
	s.EachBusy(atOnce, func(trial *target.Stage, in *target.Intent) {
		trial.Resolve(ctx, in, target.Send{})
		trial.Observe(ctx, in, "late")
	})
	return nil
}

// lateRivals is late for two payloads.
func lateRivals(ctx context.Context, s *target.Stage) error {
	s.EachBusy(atOnce, func(trial *target.Stage, in *target.Intent) {
		trial.Resolve(ctx, in, target.Send{})
		trial.Resolve(ctx, in, target.Send{Change: true})
		trial.Observe(ctx, in, "late")
	})
	return nil
}
