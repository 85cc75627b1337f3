package race

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
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
		last := trial.Resolve(ctx, in, target.Send{})
		trial.Observe(ctx, in, "after")
		if class := s.Class(last); class == contract.InFlightAnswer || class == contract.Unknown {
			trial.Note("the key stays busy for good; more rounds would take long and show nothing else")
			return nil
		}
	}
	return nil
}
