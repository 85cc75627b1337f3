package fuzz

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// sentinels are the rewrites that tell most defects by themselves: one or two for each way in which fingerprints go wrong. They
// are tried first, so that a defect costs few requests.
var sentinels = []string{
	"query/value", "number/beyond-2^53", "nested/leaf", "array/reordered", "order/top", "leaf/case", "absent/null-to-absent", "nested/map",
	"nested/new-key", "form/value", "multipart/field", "leaf/amount", "leaf/enum", "leaf/text", "space/pretty", "type/number-to-string",
	"text/trailing-space", "absent/zero-to-absent",
}

// batch bounds how many pairs are screened under one key.
const batch = 24

// sweep tries each rewrite at its likeliest place of the sample.
func (h *hunter) sweep(ctx context.Context) error {
	var first, rest []rewrite.Rewrite
	for _, r := range h.rows {
		if h.report.finding(r.ID) != nil {
			continue // the corpus has it
		}
		if slices.Contains(sentinels, r.ID) {
			first = append(first, r)
		} else {
			rest = append(rest, r)
		}
	}
	slices.SortFunc(first, func(a, b rewrite.Rewrite) int { return slices.Index(sentinels, a.ID) - slices.Index(sentinels, b.ID) })
	for _, rows := range [][]rewrite.Rewrite{first, rest} {
		changes, together, alone := rewrite.Garden(h.sample, rows)
		for part := range slices.Chunk(together, batch) {
			if err := h.sweepPart(ctx, planted(changes, part), part); err != nil || ctx.Err() != nil || h.enough() {
				return err
			}
		}
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(h.workers())
		for _, t := range alone {
			group.Go(func() error { return h.sweepPart(within, nil, []rewrite.Trial{t}) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// enough tells whether the search was told to end.
func (h *hunter) enough() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.report.Stopped != ""
}

// planted keeps the changes that the trials act at.
func planted(changes []rewrite.Change, trials []rewrite.Trial) []rewrite.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c rewrite.Change) bool {
		return !slices.ContainsFunc(trials, func(t rewrite.Trial) bool { return t.Site.Planted && t.Site.At == c.At })
	})
}

// sweepPart screens some rewrites with one A, and looks closely at those that seem wrong. Where the target refuses that A,
// halves of it are tried, down to the place that it does not take.
func (h *hunter) sweepPart(ctx context.Context, changes []rewrite.Change, trials []rewrite.Trial) error {
	defer h.tell("sweep")
	var seen fingerprint.Screened
	err := h.stage(func(s *target.Stage) (err error) {
		seen, err = fingerprint.Screen(ctx, s, h.shape(), fingerprint.Screening{Changes: changes, Trials: trials})
		return err
	})
	switch {
	case err != nil || ctx.Err() != nil:
		return err
	case seen.Refused != "" && len(trials) > 1:
		half := len(trials) / 2
		if err := h.sweepPart(ctx, planted(changes, trials[:half]), trials[:half]); err != nil {
			return err
		}
		return h.sweepPart(ctx, planted(changes, trials[half:]), trials[half:])
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
	closely := seen.Executed != "" // any of them may have been executed
	var refused []rewrite.Trial
	for i, t := range trials {
		if i >= len(seen.Pairs) {
			break // the procedure was ended
		}
		switch seen.Pairs[i] {
		case fingerprint.Replayed:
			if closely {
				err = h.sweepOne(ctx, t, changes)
				break
			}
			h.count(1)
			h.row(t.Rewrite, verdict.Pass, "replayed")
			h.observe(changes, t, true, false)
		case fingerprint.Refuses:
			if closely {
				err = h.sweepOne(ctx, t, changes)
				break
			}
			refused = append(refused, t)
		case fingerprint.NotSent:
			h.row(t.Rewrite, verdict.NotAssessed, "the target does not speak the protocol")
		default:
			err = h.sweepOne(ctx, t, changes)
		}
		if err != nil || ctx.Err() != nil || h.enough() {
			return err
		}
	}
	if seen.Overwritten != "" {
		if err := h.overwriter(ctx, trials, seen); err != nil {
			return err
		}
	}
	return h.controls(ctx, changes, refused)
}

// controls sends what was refused, as it has to be, under keys of its own: only what is accepted there was refused for its key.
func (h *hunter) controls(ctx context.Context, changes []rewrite.Change, refused []rewrite.Trial) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(h.workers())
	for _, t := range refused {
		group.Go(func() error {
			own := t
			own.Changes = changes
			accepted, says := false, ""
			err := h.stage(func(s *target.Stage) (err error) {
				accepted, says, err = fingerprint.Control(within, s, h.shape(), own)
				return err
			})
			switch {
			case err != nil || within.Err() != nil:
				return err
			case accepted:
				h.count(1)
				h.row(t.Rewrite, verdict.Pass, "refused, and accepted under a key of its own")
				h.observe(changes, t, false, false)
			case says == "":
				h.row(t.Rewrite, verdict.Inconclusive, "refused, and nobody knows whether it is accepted under a key of its own")
			default:
				h.row(t.Rewrite, verdict.NotAssessed, "vacuous: under a key of its own B is answered "+says+" too")
			}
			return nil
		})
	}
	return group.Wait()
}

// sweepOne looks at one rewrite by itself: on the sample as it is, and where that shows nothing, on the A of the screening.
func (h *hunter) sweepOne(ctx context.Context, t rewrite.Trial, changes []rewrite.Change) error {
	h.hunting.Lock()
	defer h.hunting.Unlock()
	r, _ := rewrite.Find(t.Rewrite)
	plain := rewrite.Trial{Rewrite: t.Rewrite}
	if sites := r.Sites(h.sample); len(sites) > 0 {
		plain.Site = sites[0]
	}
	j, err := h.pair(ctx, plain)
	if err != nil || ctx.Err() != nil {
		return err
	}
	if !j.failed() && len(changes) > 0 && (j.history == nil || j.kind == "" && j.verdict != verdict.Pass) {
		t.Changes = changes
		var again judged
		if again, err = h.pair(ctx, t); err != nil || ctx.Err() != nil {
			return err
		}
		if again.failed() {
			if again, err = h.smaller(ctx, again); err != nil {
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
		h.keep(j, "sweep")
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
	h.hunting.Lock()
	defer h.hunting.Unlock()
	for i, t := range trials {
		if seen.Pairs[i] != fingerprint.Refuses {
			continue
		}
		h.mu.Lock()
		known := slices.ContainsFunc(h.report.Findings, func(f *Finding) bool { return f.Kind == fingerprint.Overwritten })
		h.mu.Unlock()
		if known {
			return nil
		}
		r, _ := rewrite.Find(t.Rewrite)
		plain := rewrite.Trial{Rewrite: t.Rewrite}
		if sites := r.Sites(h.sample); len(sites) > 0 {
			plain.Site = sites[0]
		}
		var j judged
		err := h.stage(func(s *target.Stage) error {
			kind, err := fingerprint.TryOriginal(ctx, s, h.shape(), plain)
			if hs := s.Histories(); kind != "" && len(hs) > 0 {
				j = judged{trial: plain, verdict: verdict.Fail, kind: kind, history: hs[0],
					detail: "original lost: A replayed, B (" + r.Sentence + ") was refused, and after it A is refused too"}
			}
			return err
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
		if j.kind != "" {
			h.keep(j, "sweep")
			return nil
		}
	}
	return nil
}

func (h *hunter) count(pairs int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report.Pairs += pairs
}

// row notes what became of a rewrite in the sweep.
func (h *hunter) row(id string, v verdict.Outcome, detail string) {
	r, _ := rewrite.Find(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report.Rows = append(h.report.Rows, Row{ID: id, Class: r.ClassUnder(h.o.Config.Contract), Verdict: v, Detail: detail})
}

// observe keeps how the target took a pair, for the diagnosis.
func (h *hunter) observe(changes []rewrite.Change, t rewrite.Trial, alike, wrong bool) {
	t.Changes = append(slices.Clone(changes), t.Changes...)
	pair, ok := h.sample.Pair(t)
	r, _ := rewrite.Find(t.Rewrite)
	if _, coded := pair.B.Get("Content-Encoding"); !ok || coded || r.Part != rewrite.Body && r.Part != rewrite.Query {
		return // the strategies say nothing of it
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.observed) < mostObserved {
		h.observed = append(h.observed, observation{rewrite: t.Rewrite, a: pair.A, b: pair.B, alike: alike, wrong: wrong})
	}
}
