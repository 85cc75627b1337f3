package race

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// changedPayload sends two payloads under one key at once, half of the requests each.
func changedPayload(ctx context.Context, s *target.Stage) error {
	for i, r := range rounds(s, round{1, 2, true}, round{1, 8, true}, round{10, 2, false}) {
		trial := s.Trial(fmt.Sprintf("round %d: %s", i+1, r.words("requests")))
		intents, err := r.intents(ctx, trial)
		if err != nil {
			return err
		}
		var shots []target.Shot
		for _, in := range intents {
			for n := range r.requests(intents) {
				shots = append(shots, target.Shot{Intent: in, Send: target.Send{Label: "rival", Change: n%2 == 1}})
			}
		}
		r.together(ctx, trial, "rival", shots)
		target.ForEach(atOnce, intents, func(in *target.Intent) {
			trial.Resolve(ctx, in, target.Send{})
			trial.Resolve(ctx, in, target.Send{Change: true})
			trial.Observe(ctx, in, history.Afterwards)
		})
	}
	return nil
}
