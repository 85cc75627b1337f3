package race

import (
	"context"
	"fmt"
	"sync"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// oneEffect sends the same request many times at once: many with one key, and two with each of many keys, which are as many
// chances to meet in a short window.
func oneEffect(ctx context.Context, s *target.Stage) error {
	for i, r := range rounds(s, round{1, 2, true}, round{10, 2, false}, round{1, 8, true}, round{10, 2, false}, round{1, 50, true}) {
		busy, err := r.duplicates(ctx, s, i)
		if err != nil {
			return err
		}
		if busy {
			s.Note("the key was still busy after all retries; more rounds would take long and show nothing else")
			return nil
		}
	}
	return nil
}

// duplicates is one round; it tells whether a key was still busy after all retries.
func (r round) duplicates(ctx context.Context, s *target.Stage, i int) (busy bool, err error) {
	trial := s.Trial(fmt.Sprintf("round %d: %s", i+1, r.words("duplicates")))
	intents, err := r.intents(ctx, trial)
	if err != nil {
		return false, err
	}
	var shots []target.Shot
	for _, in := range intents {
		for range r.requests(intents) {
			shots = append(shots, target.Shot{Intent: in, Send: target.Send{Label: "duplicate"}})
		}
	}
	r.together(ctx, trial, "duplicate", shots)
	var mu sync.Mutex
	target.ForEach(atOnce, intents, func(in *target.Intent) {
		last := trial.Resolve(ctx, in, target.Send{})
		trial.Observe(ctx, in, history.Afterwards)
		mu.Lock()
		defer mu.Unlock()
		class := s.Class(last)
		busy = busy || class == contract.InFlightAnswer || class == contract.Unknown
	})
	return busy, nil
}
