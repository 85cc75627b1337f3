package fingerprint

import (
	"context"
	"fmt"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// cases is how many random pairs a run tries, and most how many it sends when it also makes a counterexample smaller.
const (
	cases = 30
	most  = 120
)

// property searches for a pair that the target confuses. This search runs its rule in the loop, since rapid makes a case
// smaller only as long as it fails; each case leaves a history, and the requirement is judged over all of them.
func property(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	sample, err := sampleOf(s, in, Shape{})
	if err != nil {
		return err
	}
	usable := rewrite.Usable(sample, searched())
	if len(usable) == 0 {
		s.Note("no rewrite applies to the sample")
		return nil
	}
	var broken error
	seen := map[string]bool{} // answers are memoised: a repeated case costs no request
	n := 0
	search(s.Rand().Uint64(), cases, func(t *rapid.T) {
		trial, ok := rewrite.Draw(t, sample, usable)
		if !ok || broken != nil || ctx.Err() != nil {
			return
		}
		id := trial.ID()
		failed, tried := seen[id]
		if !tried && n < most {
			n++
			stage := s.Trial(fmt.Sprintf("case %03d", n))
			if _, err := sendPair(ctx, stage, Shape{}, trial); err != nil {
				broken = err
				return
			}
			failed = confused(s, stage)
			seen[id] = failed
		}
		if failed {
			t.Fatalf("the target confuses the pair") // constant text: a changing one would stop rapid's shrinking
		}
	})
	return broken
}

// searched leaves out the rewrites whose place is the whole message: the catalogue covers them.
func searched() []rewrite.Rewrite {
	var out []rewrite.Rewrite
	for _, r := range rewrite.Catalogue() {
		if r.Part == rewrite.Body || r.Part == rewrite.Query {
			out = append(out, r)
		}
	}
	return out
}

// confused tells whether the pair just sent breaks what its rewrite asks.
func confused(s *target.Stage, trial *target.Stage) bool {
	c := rule.Case{Contract: s.Contract(), Operation: s.Operation().Name}
	for _, h := range trial.Histories() {
		if f, ok := counterexample(c, h); ok && f.Outcome == verdict.Fail {
			return true
		}
	}
	return false
}
