package race

import (
	"context"
	"fmt"
	"slices"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// distinctKeys sends requests that have nothing to do with one another at once. Where one is not answered in time the round is
// played again: once may be the machine's doing.
func distinctKeys(ctx context.Context, s *target.Stage) error {
	for i, n := range []int{2, 10} {
		name := fmt.Sprintf("round %d: %d keys", i+1, n)
		late, err := strangers(ctx, s, name, n)
		if err == nil && late {
			_, err = strangers(ctx, s, name+", again", n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// strangers is one round; it tells whether a request was not answered in time. Only those that were not answered with a result
// are sent again: what retries do is a question of its own.
func strangers(ctx context.Context, s *target.Stage, name string, n int) (late bool, err error) {
	trial := s.Trial(name)
	var shots []target.Shot
	for range n {
		in, err := trial.Intent(ctx)
		if err != nil {
			return false, err
		}
		shots = append(shots, target.Shot{Intent: in, Send: target.Send{Label: "stranger"}})
	}
	attempts := trial.Burst(ctx, "stranger", shots)
	for i, shot := range shots {
		if !s.Class(attempts[i]).Success() {
			trial.Resolve(ctx, shot.Intent, target.Send{})
		}
		trial.Observe(ctx, shot.Intent, history.Afterwards)
	}
	return slices.ContainsFunc(attempts, func(a *history.Attempt) bool { return a.TimedOut }), nil
}
