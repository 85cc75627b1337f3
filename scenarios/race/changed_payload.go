package race

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/target"
)

// changedPayload sends two payloads under one key at once, half of the requests each.
func changedPayload(ctx context.Context, s *target.Stage) error {
	for i, r := range rounds(s, round{2, true}, round{8, true}, round{8, false}) {
		trial := s.Trial(fmt.Sprintf("round %d: %d requests, %s", i+1, r.n, r.how()))
		in, err := trial.Intent(ctx)
		if err != nil {
			return err
		}
		shots := make([]target.Shot, r.n)
		for i := range shots {
			shots[i] = target.Shot{Intent: in, Send: target.Send{Label: "rival", Change: i%2 == 1}}
		}
		r.together(ctx, trial, "rival", shots)
		trial.Resolve(ctx, in, target.Send{})
		trial.Resolve(ctx, in, target.Send{Change: true})
		trial.Observe(ctx, in, "after")
	}
	return nil
}
