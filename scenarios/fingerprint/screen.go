package fingerprint

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Screening is many pairs that share one A.
type Screening struct {
	Changes []rewrite.Change // make A out of the sample
	Trials  []rewrite.Trial  // to be applied to A; their own changes are none
	Intent  *target.Intent   // nil: a fresh one
	// Hurry ends the screening at the first answer that its class does not allow, to look at that one more closely.
	Hurry bool
}

// screen sends A, then every B under its key, then A again: n + 2 requests and, where the target is right, one execution. What
// it shows is a hint, to be confirmed by a pair under keys of its own.
func screen(ctx context.Context, s *target.Stage, shape Shape, g Screening) error {
	in := g.Intent
	if in == nil {
		var err error
		if in, err = s.Intent(ctx); err != nil {
			return err
		}
	}
	sample, err := sampleOf(s, in, shape)
	if err != nil {
		return err
	}
	if sample, err = sample.With(g.Changes...); err != nil {
		return err
	}
	a := sample.Request()
	prepared := len(g.Changes) > 0
	var pairs []rewrite.Pair
	var about []history.Rewrite
	for _, t := range g.Trials {
		r, _ := rewrite.Find(t.Rewrite)
		pair, ok := r.Apply(sample, t.Site, t.Choice)
		if len(g.Trials) == 1 && ok { // one that prepares its own A
			a, prepared = pair.A, prepared || pair.Prepared
		}
		if !ok || !pair.A.Equal(a) {
			pair.B.Method = "" // not sent, but its place is kept
		}
		pairs = append(pairs, pair)
		about = append(about, history.Rewrite{ID: t.Rewrite, At: t.Site.At, Prepared: prepared, Guess: t.Site.Guess})
	}
	s.Screens(about)
	first := s.Do(ctx, in, target.Send{Label: "first", Exact: &a, Direct: shape.Direct, Unrecorded: shape.Direct})
	if !s.Class(first).Success() {
		return nil
	}
	for i, pair := range pairs {
		if pair.B.Method == "" || ctx.Err() != nil || !s.Speaks(ctx, pair.B.Protocol) {
			continue
		}
		r, _ := rewrite.Find(pair.Rewrite)
		b := s.Do(ctx, in, target.Send{Label: label(i), Exact: &pair.B, Variant: pair.Rewrite, Direct: shape.Direct, Unrecorded: shape.Direct})
		mayReplay, mayRefuse, _ := r.ClassUnder(s.Contract()).Allowed()
		if success := s.Class(b).Success(); g.Hurry && (success && !mayReplay || !success && !mayRefuse) {
			break
		}
	}
	s.Do(ctx, in, target.Send{Label: "again", Exact: &a, Direct: shape.Direct, Unrecorded: shape.Direct})
	s.Observe(ctx, in, "after")
	return nil
}

// label names the i-th B of a screening, and own the same under a key of its own.
func label(i int) string { return fmt.Sprintf("b%d", i+1) }
func own(i int) string   { return fmt.Sprintf("control %d", i+1) }
