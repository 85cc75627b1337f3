package race

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/target"
)

// distinctKeys sends requests that have nothing to do with one another at once. Only those that were not answered with a
// result are sent again: what retries do is a question of its own.
func distinctKeys(ctx context.Context, s *target.Stage) error {
	for i, n := range []int{2, 10} {
		trial := s.Trial(fmt.Sprintf("round %d: %d keys", i+1, n))
		var shots []target.Shot
		for range n {
			in, err := trial.Intent(ctx)
			if err != nil {
				return err
			}
			shots = append(shots, target.Shot{Intent: in, Send: target.Send{Label: "stranger"}})
		}
		attempts := trial.Burst(ctx, "stranger", shots)
		for i, shot := range shots {
			if !s.Class(attempts[i]).Success() {
				trial.Resolve(ctx, shot.Intent, target.Send{})
			}
			trial.Observe(ctx, shot.Intent, "after")
		}
	}
	return nil
}
