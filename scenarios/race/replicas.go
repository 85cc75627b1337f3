package race

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// replicas sends the same request to all instances of the target at once, and afterwards again to each of them. Where one of them
// does not answer even then, no further round is worth the wait: the same would come of it.
func replicas(ctx context.Context, s *target.Stage) error {
	n, err := s.Replicas(ctx)
	if err != nil {
		return err
	}
	for i, r := range rounds(s, round{1, 2, true}, round{10, 2, false}, round{1, 8, true}, round{10, 2, false}, round{1, 8, false}) {
		trial := s.Trial(fmt.Sprintf("round %d: %s, spread over %d replicas", i+1, r.words("duplicates"), n))
		intents, err := r.intents(ctx, trial)
		if err != nil {
			return err
		}
		var shots []target.Shot
		for _, in := range intents {
			for k := range max(n, r.requests(intents)) {
				shots = append(shots, target.Shot{Intent: in, Send: target.Send{Label: "duplicate", Replica: k % n}})
			}
		}
		r.together(ctx, trial, "duplicate", shots)
		answered := make([]atomic.Bool, n)
		target.ForEach(atOnce, intents, func(in *target.Intent) {
			for replica := range n {
				if a := trial.Resolve(ctx, in, target.Send{Replica: replica}); a.Outcome == history.Answered {
					answered[replica].Store(true)
				}
			}
			trial.Observe(ctx, in, history.Afterwards)
		})
		for replica := range n {
			if !answered[replica].Load() {
				s.Note("replica %d answered none of the retries: no more rounds", replica)
				return nil
			}
		}
	}
	return nil
}
