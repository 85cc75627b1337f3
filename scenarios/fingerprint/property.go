package fingerprint

import (
	"context"
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	// hands is how many random bodies a run tries, and finger how many rewrites on each: different bodies find more than more
	// rewrites of one.
	hands  = 12
	finger = 4
	// mostTries bounds what is sent to make a counterexample smaller.
	mostTries = 40
)

// property searches for a pair that the target confuses: random bodies, each with some rewrites under its key. The search of
// `oncespec fuzz` is the same, and longer.
func property(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	sample, err := sampleOf(s, in, Shape{})
	if err != nil {
		return err
	}
	if places := sample.Unlisted(); len(places) > 0 {
		s.Note("%s%s", catalogue.NotVaried, strings.Join(places, ", "))
	}
	usable := rewrite.Usable(sample, searched(s))
	if len(usable) == 0 {
		s.Note("no rewrite applies to the sample")
		return nil
	}
	dealer := rewrite.Dealer{Sample: sample, Rows: usable, Seed: s.Rand().Uint64(), Width: finger}
	for n := range hands {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		hand, _ := dealer.Deal(n)
		changes, trials, ok := hand.On(sample)
		if !ok {
			continue
		}
		doubtful, err := together(ctx, s, Screening{Changes: changes, Trials: trials})
		if err != nil {
			return err
		}
		for _, t := range doubtful {
			if found, err := counterexample(ctx, s, sample, t); err != nil || found {
				return err
			}
		}
	}
	return nil
}

// counterexample sends a pair by itself. Where the target confuses it, it is made smaller first.
func counterexample(ctx context.Context, s *target.Stage, sample *rewrite.Sample, t rewrite.Trial) (found bool, err error) {
	first := s.Trial("case")
	if _, err := sendPair(ctx, first, Shape{}, t); err != nil || !confused(first) {
		return false, err
	}
	tries := 0
	small, err := rewrite.Shrink(sample, t, func(p rewrite.Pair, t rewrite.Trial) (bool, error) {
		if tries++; tries > mostTries || ctx.Err() != nil {
			return false, ctx.Err()
		}
		trial := s.Trial("smaller")
		defer s.Forget(trial)
		kind, err := Try(ctx, trial, nil, Shape{}, t)
		return kind != "", err
	})
	if err != nil || small.ID() == t.ID() {
		return true, err
	}
	trial := s.Trial("the smallest case")
	if _, err := sendPair(ctx, trial, Shape{}, small); err != nil {
		return true, err
	}
	if confused(trial) {
		s.Forget(first)
	} else {
		s.Forget(trial)
	}
	return true, nil
}

// searched leaves out the rewrites whose place is the whole message, since the catalogue covers them, and those that may be
// executed.
func searched(s *target.Stage) []rewrite.Rewrite {
	var out []rewrite.Rewrite
	for _, r := range rewrite.Catalogue() {
		_, _, executes := r.ClassUnder(s.Contract()).Allowed()
		if !executes && (r.Part == rewrite.Body || r.Part == rewrite.Query) {
			out = append(out, r)
		}
	}
	return out
}
