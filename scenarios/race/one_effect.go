package race

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/target"
)

// oneEffect sends the same request many times at once.
func oneEffect(ctx context.Context, s *target.Stage) error {
	for i, r := range rounds(s, round{2, true}, round{2, false}, round{8, true}, round{8, false}, round{50, true}) {
		trial := s.Trial(fmt.Sprintf("round %d: %d duplicates, %s", i+1, r.n, r.how()))
		in, err := trial.Intent(ctx)
		if err != nil {
			return err
		}
		shots := make([]target.Shot, r.n)
		for i := range shots {
			shots[i] = target.Shot{Intent: in, Send: target.Send{Label: "duplicate"}}
		}
		r.together(ctx, trial, "duplicate", shots)
		trial.Resolve(ctx, in, target.Send{})
		trial.Observe(ctx, in, "after")
	}
	return nil
}
