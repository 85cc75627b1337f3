package fuzz

import (
	"context"
	"slices"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// batch bounds how many pairs are screened under one key.
const batch = 24

// sweep tries each rewrite at its likeliest place of the sample.
func (h *hunter) sweep(ctx context.Context) error {
	var first, rest []rewrite.Rewrite
	for _, r := range h.rows {
		if h.report.finding(r.ID) != nil {
			continue // the corpus has it
		}
		if slices.Contains(rewrite.Telling, r.ID) {
			first = append(first, r)
		} else {
			rest = append(rest, r)
		}
	}
	slices.SortFunc(first, func(a, b rewrite.Rewrite) int {
		return slices.Index(rewrite.Telling, a.ID) - slices.Index(rewrite.Telling, b.ID)
	})
	for _, rows := range [][]rewrite.Rewrite{first, rest} {
		changes, together, alone := rewrite.Garden(h.sample, rows)
		for part := range slices.Chunk(together, batch) {
			if h.outOfTime() {
				break
			}
			if err := h.sweepPart(ctx, rewrite.Planted(changes, part), part); err != nil || ctx.Err() != nil || h.enough() {
				return err
			}
		}
		err := each(h.workers(), alone, func(t rewrite.Trial) func() *screening {
			if h.outOfTime() {
				return func() *screening { return nil }
			}
			return h.screen(ctx, nil, []rewrite.Trial{t}, false)
		}, func(_ rewrite.Trial, g *screening) error {
			if g == nil {
				return nil
			}
			if h.enough() || ctx.Err() != nil {
				g.stage.Drop()
				return nil
			}
			return h.sweepScreened(ctx, g)
		})
		if err != nil || ctx.Err() != nil || h.enough() {
			return err
		}
	}
	return h.lookAgain(ctx, len(h.deferred))
}

// outOfTime tells whether the time is up, and notes that it was before the sweep was done.
func (h *hunter) outOfTime() bool {
	h.cut = h.cut || h.up()
	return h.cut
}

// sweepPart screens some rewrites with one A, and looks closely at those that seem wrong.
func (h *hunter) sweepPart(ctx context.Context, changes []rewrite.Change, trials []rewrite.Trial) error {
	return h.sweepScreened(ctx, h.screen(ctx, changes, trials, false)())
}

// sweepScreened makes rows of a screening. Where the target refuses its A, halves of it are tried, down to the place that it
// does not take.
func (h *hunter) sweepScreened(ctx context.Context, g *screening) error {
	h.spent(g.stage)
	defer h.tell("sweep")
	defer func() {
		if !g.settling {
			g.stage.Drop()
		}
	}()
	changes, trials, seen := g.changes, g.trials, g.seen
	switch {
	case g.err != nil || ctx.Err() != nil:
		return g.err
	case seen.Refused != "" && len(trials) > 1:
		half := len(trials) / 2
		if err := h.sweepPart(ctx, rewrite.Planted(changes, trials[:half]), trials[:half]); err != nil {
			return err
		}
		return h.sweepPart(ctx, rewrite.Planted(changes, trials[half:]), trials[half:])
	case seen.Refused != "":
		h.row(trials[0].Rewrite, verdict.NotAssessed, "the target refuses the A that it needs, with "+seen.Refused)
		return nil
	case seen.Unclear != "":
		for _, t := range trials {
			if err := h.sweepOne(ctx, t, changes); err != nil {
				return err
			}
		}
		return nil
	}
	refused, over, err := h.sweepPairs(ctx, g)
	if over || err != nil {
		return err
	}
	if seen.Overwritten != "" {
		if err := h.overwriter(ctx, trials, seen); err != nil {
			return err
		}
	}
	if seen.Executed == "" {
		h.settle(g)
	} else if err := h.late(ctx, g); err != nil {
		return err
	}
	return h.controls(ctx, changes, refused)
}

// sweepPairs makes rows of the pairs that a screening settles, looks at the others one by one, and returns those that were
// refused, which need a control. over: the search has ended.
func (h *hunter) sweepPairs(ctx context.Context, g *screening) (refused []rewrite.Trial, over bool, err error) {
	closely := g.seen.Executed != "" // any of them may have been executed
	for i, t := range g.trials {
		if i >= len(g.seen.Pairs) {
			break // the procedure was ended
		}
		if h.report.finding(t.Rewrite) != nil {
			continue // it acts at several places, and was wrong at one
		}
		switch seen := g.seen.Pairs[i]; {
		case seen == fingerprint.NotSent:
			h.row(t.Rewrite, verdict.NotAssessed, "the target does not speak the protocol")
		case seen == fingerprint.Replayed && !closely:
			h.count(1)
			h.row(t.Rewrite, verdict.Pass, "replayed")
			h.observe(g.changes, t, true, false)
		case seen == fingerprint.Refuses && !closely:
			refused = append(refused, t)
		default:
			err = h.sweepOne(ctx, t, g.changes)
		}
		if err != nil || ctx.Err() != nil || h.enough() {
			return refused, true, err
		}
	}
	return refused, false, nil
}

// controls sends what was refused, as it has to be, under keys of its own: only what is accepted there was refused for its key.
func (h *hunter) controls(ctx context.Context, changes []rewrite.Change, refused []rewrite.Trial) error {
	type answer struct {
		stage    *target.Stage
		accepted bool
		says     string
		err      error
	}
	return each(h.workers(), refused, func(t rewrite.Trial) func() answer {
		t.Changes = changes
		s, in, err := h.begin(ctx)
		shape := h.shape()
		return func() (a answer) {
			if a.stage, a.err = s, err; err == nil {
				a.accepted, a.says, a.err = fingerprint.Control(ctx, s, in, shape, t)
			}
			return a
		}
	}, func(t rewrite.Trial, a answer) error {
		h.spent(a.stage)
		a.stage.Drop()
		switch {
		case a.err != nil || ctx.Err() != nil:
			return a.err
		case a.accepted:
			h.count(1)
			h.row(t.Rewrite, verdict.Pass, "refused, and accepted under a key of its own")
			h.observe(changes, t, false, false)
		case a.says == "":
			h.row(t.Rewrite, verdict.Inconclusive, "refused, and nobody knows whether it is accepted under a key of its own")
		default:
			h.row(t.Rewrite, verdict.NotAssessed, "vacuous: under a key of its own B is answered "+a.says+" too")
		}
		return nil
	})
}

// sweepOne looks at one rewrite by itself: on the sample as it is, and where that shows nothing, on the A of the screening.
func (h *hunter) sweepOne(ctx context.Context, t rewrite.Trial, changes []rewrite.Change) error {
	if h.over() {
		h.unconfirmed(t)
		return nil
	}
	r, _ := rewrite.Find(t.Rewrite)
	plain := rewrite.Trial{Rewrite: t.Rewrite}
	if sites := r.Sites(h.sample); len(sites) > 0 {
		plain.Site = sites[0]
	}
	j, err := h.pair(ctx, h.shape(), plain)
	if err != nil || ctx.Err() != nil {
		return err
	}
	if !j.failed() && len(changes) > 0 && (j.history == nil || j.kind == "" && j.verdict != verdict.Pass) {
		t.Changes = changes
		var again judged
		if again, err = h.pair(ctx, h.shape(), t); err != nil || ctx.Err() != nil {
			return err
		}
		if again.failed() {
			if again, err = h.smaller(ctx, h.shape(), again); err != nil {
				return err
			}
		}
		if again.history != nil {
			j = again
		}
	}
	if j.history == nil {
		h.row(t.Rewrite, verdict.NotAssessed, "the trial does not fit the request")
		return nil
	}
	h.count(1)
	if j.failed() {
		h.keep(j)
	} else {
		h.row(t.Rewrite, j.verdict, j.detail)
	}
	if b := j.history.First("rewritten"); b != nil && j.verdict != verdict.NotAssessed && j.verdict != verdict.Inconclusive {
		h.observe(nil, j.trial, h.o.Config.Contract.Classify(b.Exchange()).Success() && j.kind != fingerprint.DoubleExecution, misread(j))
	}
	return nil
}

// misread tells whether the comparison of the two went wrong, and not what was done about it: who executes a changed request has
// told it from the first.
func misread(j judged) bool {
	r, _ := rewrite.Find(j.trial.Rewrite)
	alike := r.Class == rewrite.Same || r.Class == rewrite.SameByPractice
	return j.failed() && (alike || j.kind != fingerprint.DoubleExecution)
}

// overwriter finds which refused B took A's record with it.
func (h *hunter) overwriter(ctx context.Context, trials []rewrite.Trial, seen fingerprint.Screened) error {
	for i, t := range trials {
		if seen.Pairs[i] != fingerprint.Refuses {
			continue
		}
		if h.overwritten() {
			return nil
		}
		r, _ := rewrite.Find(t.Rewrite)
		plain := rewrite.Trial{Rewrite: t.Rewrite}
		if sites := r.Sites(h.sample); len(sites) > 0 {
			plain.Site = sites[0]
		}
		j, err := h.original(ctx, plain)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if j.failed() {
			h.keep(j)
			return nil
		}
	}
	return nil
}

// overwritten tells whether a refused request was found to take the original's record.
func (h *hunter) overwritten() bool {
	return slices.ContainsFunc(h.report.Findings, func(f *Finding) bool { return f.Kind == fingerprint.Overwritten })
}
