package race

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target"
)

// lateAtOnce is how many keys are asked for at a time: those of a target that is stuck are waited for as long as each may take.
const lateAtOnce = 16

// late asks again for what was still in progress when it was last asked for: a target that works long where many come at once is
// slow, and only one that is as far when much else was done is stuck.
func late(ctx context.Context, s *target.Stage) error {
	s.EachBusy(lateAtOnce, func(trial *target.Stage, in *target.Intent) {
		trial.Resolve(ctx, in, target.Send{})
		trial.Observe(ctx, in, "late")
	})
	return nil
}

// lateRivals is late for two payloads.
func lateRivals(ctx context.Context, s *target.Stage) error {
	s.EachBusy(lateAtOnce, func(trial *target.Stage, in *target.Intent) {
		trial.Resolve(ctx, in, target.Send{})
		trial.Resolve(ctx, in, target.Send{Change: true})
		trial.Observe(ctx, in, "late")
	})
	return nil
}
