package fuzz

import (
	"context"
	"slices"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	// patience is how many suspects of one rewrite may be dismissed before the rewrite is left alone, and how many values of
	// one place may be refused before the place is.
	patience = 3
	// mostInvalid is how many random bodies the target may refuse for no reason that is found before the search ends.
	mostInvalid = 20
	// mostShrink bounds what is sent to make one pair smaller.
	mostShrink = 60
)

// settled tells whether a rewrite needs no further look: it was found wrong, or its suspects were dismissed too often.
func (h *hunter) settled(r rewrite.Rewrite) bool {
	return h.report.finding(r.ID) != nil || h.dismissed[r.ID] >= patience
}

// suspect looks closely at a pair: it is made smaller, confirmed under keys of its own, and judged. A pair whose judgement needs
// more than its outcome is judged before it costs more.
func (h *hunter) suspect(ctx context.Context, shape fingerprint.Shape, t rewrite.Trial) (found bool, err error) {
	r, _ := rewrite.Find(t.Rewrite)
	if h.settled(r) {
		return false, nil
	}
	if h.over() {
		h.unconfirmed(t)
		return false, nil
	}
	j := judged{trial: t}
	needsControls := r.Confirm || t.Site.Guess || r.ClassUnder(h.o.Config.Contract) == rewrite.Undeclared
	if needsControls {
		if j, err = h.pair(ctx, shape, t); err != nil || !j.failed() {
			h.dismissed[t.Rewrite]++
			return false, err
		}
	}
	if j, err = h.smaller(ctx, shape, j); err != nil {
		return false, err
	}
	if !j.failed() {
		h.dismissed[t.Rewrite]++
		return false, nil
	}
	h.keep(j)
	h.observe(nil, j.trial, j.kind == fingerprint.FalseReplay, misread(j))
	return true, nil
}

// smaller makes a pair smaller for as long as the target takes it in the same wrong way and there is time, and judges what is left.
// Where that is no fail, such as for a B that became invalid, the pair it began with is judged instead.
func (h *hunter) smaller(ctx context.Context, shape fingerprint.Shape, begin judged) (judged, error) {
	asked := 0
	small, err := rewrite.Shrink(h.sample, begin.trial, func(p rewrite.Pair, t rewrite.Trial) (bool, error) {
		if asked++; asked > mostShrink || h.over() || ctx.Err() != nil {
			return false, ctx.Err()
		}
		var kind fingerprint.Kind
		err := h.stage(func(s *target.Stage) (err error) {
			kind, err = fingerprint.Try(ctx, s, nil, shape, t)
			return err
		})
		return kind != "" && (begin.kind == "" || kind == begin.kind), err
	})
	if ctx.Err() != nil && begin.failed() {
		return begin, nil // what is confirmed is kept, as large as it is
	}
	if err != nil {
		return begin, err
	}
	j, err := h.pair(ctx, shape, small)
	if err != nil || j.failed() || small.ID() == begin.trial.ID() {
		return j, err
	}
	if begin.failed() {
		return begin, nil
	}
	return h.pair(ctx, shape, begin.trial)
}

// allowed leaves out changes that the target turned out to refuse.
func (h *hunter) allowed(body []rewrite.Change) []rewrite.Change {
	return slices.DeleteFunc(slices.Clone(body), func(c rewrite.Change) bool {
		return slices.Contains(h.fixed, c.At) || slices.Contains(h.refused, c)
	})
}

// narrow finds which change makes the target refuse A, and leaves it alone from now on; after a few at one place, the place.
func (h *hunter) narrow(ctx context.Context, one hand, says string) error {
	found := false
	for i, c := range one.changes {
		if h.up() {
			return nil
		}
		var seen fingerprint.Screened
		err := h.stage(func(s *target.Stage) (err error) {
			seen, err = fingerprint.Screen(ctx, s, h.shape(), fingerprint.Screening{Changes: []rewrite.Change{c}})
			return err
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
		if seen.Refused == "" {
			continue
		}
		found = true
		if i >= one.body { // what a rewrite needs
			for _, t := range one.trials {
				if t.Site.At == c.At {
					h.dismissed[t.Rewrite] = patience
				}
			}
		} else if !slices.Contains(h.refused, c) {
			h.refused = append(h.refused, c)
			if h.refusedAt(c.At) >= patience {
				h.fixed = append(h.fixed, c.At)
			}
		}
		if n := (Narrowed{At: c.At, Value: c.Value, Says: seen.Refused}); !slices.Contains(h.report.Narrowed, n) {
			h.report.Narrowed = append(h.report.Narrowed, n)
		}
	}
	h.report.Invalid++
	if !found && h.report.Invalid >= mostInvalid {
		h.report.Stopped = "the target refuses too many of the random bodies, with " + says + ": say in vary what may change"
	}
	return nil
}

func (h *hunter) refusedAt(at string) (n int) {
	for _, c := range h.refused {
		if c.At == at {
			n++
		}
	}
	return n
}
