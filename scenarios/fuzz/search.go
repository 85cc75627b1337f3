package fuzz

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const (
	// width is how many rewrites are tried on one random body: a body costs two requests, each pair one more.
	width = 12
	// patience is how many suspects of one rewrite may turn out to be none before it is left alone.
	patience = 3
	// mostInvalid is how many random bodies the target may refuse in a row before bodies are drawn no more.
	mostInvalid = 20
	// spread keeps the cases of neighbouring seeds apart (the golden ratio in 64 bits).
	spread = 0x9E3779B97F4A7C15
	// mostShrink bounds what is sent to make one pair smaller.
	mostShrink = 60
)

// hand is one random body and the rewrites to be tried on it.
type hand struct {
	body []rewrite.Change
	rows []rewrite.Rewrite
}

// draw searches at random until the cases or the time are up. Each case depends on the seed and its number alone.
func (h *hunter) draw(ctx context.Context) error {
	rows := slices.DeleteFunc(rewrite.Usable(h.sample, h.rows), func(r rewrite.Rewrite) bool {
		class := r.ClassUnder(h.o.Config.Contract)
		wire := r.Part != rewrite.Body && r.Part != rewrite.Query // the sweep covers them: their place is the whole message
		return wire || class == rewrite.Undeclared || class == rewrite.Unclaimed
	})
	if slices.ContainsFunc(h.report.Findings, func(f *Finding) bool { return f.Kind == fingerprint.Overwritten }) {
		h.report.Stopped = "refused requests overwrite the original's record, so that nothing more can be told: mend that first"
		return nil
	}
	if len(rows) == 0 {
		if h.report.Stopped == "" {
			h.report.Stopped = "no rewrite is left for random bodies: the sweep tried those that were chosen"
		}
		return nil
	}
	before := h.report.Pairs
	over := func() bool { return h.report.Pairs-before >= h.o.Cases }
	if h.share > 0 {
		end := time.Now().Add(h.share)
		h.left = func() time.Duration { return max(0, time.Until(end)) }
		cases := h.o.Cases
		over = func() bool { return !time.Now().Before(end) || cases > 0 && h.report.Pairs-before >= cases }
	}
	done := func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return over() || h.report.Stopped != ""
	}
	hands := h.dealer(rows)
	var number atomic.Int64
	group, within := errgroup.WithContext(ctx)
	for range h.workers() {
		group.Go(func() error {
			for !done() && within.Err() == nil {
				n := int(number.Add(1))
				if err := h.play(within, hands(n)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// dealer gives the hand of a number. Where no body can be drawn, as for a pattern that nothing matches, the sample's is used.
func (h *hunter) dealer(rows []rewrite.Rewrite) func(n int) hand {
	base := int(h.o.Seed * spread >> 1)
	full := rapid.Custom(func(t *rapid.T) hand { return drawHand(t, h.sample, rows, true, h.o.noSweep) })
	plain := rapid.Custom(func(t *rapid.T) hand { return drawHand(t, h.sample, rows, false, h.o.noSweep) })
	return func(n int) (drawn hand) {
		defer func() {
			if recover() != nil { // rapid gives up after a thousand tries
				h.mu.Lock()
				h.report.Undrawn++
				h.mu.Unlock()
				drawn = plain.Example(base + n)
			}
		}()
		return full.Example(base + n)
	}
}

// drawHand draws a body and some rewrites; those that tell most stand in front more often than not.
func drawHand(t *rapid.T, s *rewrite.Sample, rows []rewrite.Rewrite, bodies, telling bool) hand {
	few, shuffled := rapid.Bool().Draw(t, "few"), rapid.Bool().Draw(t, "shuffled")
	out := hand{}
	if bodies {
		out.body = rewrite.Generate(t, s)
	}
	if len(out.body) > 1 && few { // some defects show only where most is as in the sample
		out.body = rapid.Permutation(out.body).Draw(t, "changes")[:1]
	}
	var front, others []rewrite.Rewrite
	for _, r := range rapid.Permutation(rows).Draw(t, "rewrites") {
		if slices.Contains(sentinels, r.ID) {
			front = append(front, r)
		} else {
			others = append(others, r)
		}
	}
	if telling || !shuffled {
		out.rows = append(front, others...)
	} else {
		out.rows = append(others, front...)
	}
	out.rows = out.rows[:min(width, len(out.rows))]
	return out
}

// play screens one hand, and looks closely at the first pair that seems wrong.
func (h *hunter) play(ctx context.Context, drawn hand) error {
	defer h.tell("search")
	body := h.allowed(drawn.body)
	changed, err := h.sample.With(body...)
	if err != nil {
		return nil // a place that is gone by now
	}
	rows := slices.DeleteFunc(slices.Clone(drawn.rows), h.settled)
	if len(rows) == 0 {
		h.count(1) // nothing of this hand is new; else a search that found everything would never end
		return nil
	}
	garden, together, alone := rewrite.Garden(changed, rows)
	if len(together) == 0 {
		if len(alone) == 0 {
			h.count(1)
			return nil
		}
		garden, together = nil, alone[:1]
	}
	changes := append(slices.Clone(body), garden...)
	for len(together) > 0 && ctx.Err() == nil && !h.enough() {
		seen, err := h.screen(ctx, changes, together)
		if err != nil {
			return err
		}
		if seen.Refused != "" {
			return h.narrow(ctx, body, garden, together, seen.Refused)
		}
		next, err := h.inspect(ctx, changes, together, seen)
		if err != nil {
			return err
		}
		together = together[next:]
	}
	return nil
}

func (h *hunter) screen(ctx context.Context, changes []rewrite.Change, trials []rewrite.Trial) (seen fingerprint.Screened, err error) {
	err = h.stage(func(s *target.Stage) error {
		seen, err = fingerprint.Screen(ctx, s, h.shape(), fingerprint.Screening{Changes: changes, Trials: trials, Hurry: true})
		return err
	})
	return seen, err
}

// inspect goes through a screening up to the first suspect, and returns how many of its trials are done with.
func (h *hunter) inspect(ctx context.Context, changes []rewrite.Change, trials []rewrite.Trial, seen fingerprint.Screened) (done int, err error) {
	for i, t := range trials {
		if i >= len(seen.Pairs) || seen.Unclear != "" {
			return len(trials), nil
		}
		switch sighting := seen.Pairs[i]; {
		case sighting == fingerprint.Suspected || seen.Executed != "" && sighting != fingerprint.NotSent:
			t.Changes = changes
			h.count(1)
			found, err := h.suspect(ctx, t)
			if err != nil || found || seen.Executed == "" {
				return i + 1, err
			}
		case sighting == fingerprint.NotSent:
			if i == 0 {
				return 1, nil
			}
			return i, nil
		case sighting != fingerprint.Unclear:
			h.count(1)
		}
	}
	return len(trials), nil
}

// settled tells whether a rewrite needs no further look: it was found wrong, or cried wolf too often.
func (h *hunter) settled(r rewrite.Rewrite) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.report.finding(r.ID) != nil || h.dismissed[r.ID] >= patience
}

// suspect looks closely at a pair: it is made smaller, confirmed under keys of its own, and judged. A pair whose judgement needs
// more than its outcome is judged before it costs more.
func (h *hunter) suspect(ctx context.Context, t rewrite.Trial) (found bool, err error) {
	h.hunting.Lock()
	defer h.hunting.Unlock()
	r, _ := rewrite.Find(t.Rewrite)
	if h.settled(r) {
		return false, nil
	}
	j := judged{trial: t}
	needsControls := r.Confirm || t.Site.Guess || r.ClassUnder(h.o.Config.Contract) == rewrite.Undeclared
	if needsControls {
		if j, err = h.pair(ctx, t); err != nil || !j.failed() {
			h.dismiss(t)
			return false, err
		}
	}
	if j, err = h.smaller(ctx, j); err != nil || ctx.Err() != nil {
		return false, err
	}
	if !j.failed() {
		h.dismiss(t)
		return false, nil
	}
	h.keep(j, "search")
	h.observe(nil, j.trial, j.kind == fingerprint.FalseReplay, misread(j))
	return true, nil
}

func (h *hunter) dismiss(t rewrite.Trial) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dismissed[t.Rewrite]++
}

// smaller makes a pair smaller for as long as the target takes it in the same wrong way, and judges what is left. Where that is
// no fail, such as for a B that became invalid, the pair it began with is judged instead.
func (h *hunter) smaller(ctx context.Context, begin judged) (judged, error) {
	kinds := map[fingerprint.Kind]bool{}
	asked := 0
	small, err := rewrite.Shrink(h.sample, begin.trial, func(p rewrite.Pair, t rewrite.Trial) (bool, error) {
		if asked++; asked > mostShrink || ctx.Err() != nil {
			return false, ctx.Err()
		}
		var kind fingerprint.Kind
		err := h.stage(func(s *target.Stage) (err error) {
			kind, err = fingerprint.Try(ctx, s, h.shape(), t)
			return err
		})
		if begin.kind == "" || kind == begin.kind {
			kinds[kind] = true
			return kind != "", err
		}
		return false, err
	})
	if err != nil {
		return begin, err
	}
	j, err := h.pair(ctx, small)
	if err != nil || j.failed() || small.ID() == begin.trial.ID() {
		return j, err
	}
	if begin.failed() {
		return begin, nil
	}
	return h.pair(ctx, begin.trial)
}

// allowed leaves out changes at places that turned out not to vary.
func (h *hunter) allowed(body []rewrite.Change) []rewrite.Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(body), func(c rewrite.Change) bool { return slices.Contains(h.fixed, c.At) })
}

// narrow finds which change makes the target refuse A, and leaves that place alone from now on.
func (h *hunter) narrow(ctx context.Context, body, garden []rewrite.Change, trials []rewrite.Trial, says string) error {
	h.hunting.Lock()
	defer h.hunting.Unlock()
	found := false
	for i, c := range append(slices.Clone(body), garden...) {
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
		h.mu.Lock()
		if i >= len(body) { // what a rewrite needs
			for _, t := range trials {
				if t.Site.At == c.At {
					h.dismissed[t.Rewrite] = patience
				}
			}
		} else if !slices.Contains(h.fixed, c.At) {
			h.fixed = append(h.fixed, c.At)
		}
		if n := (Narrowed{At: c.At, Value: c.Value, Says: seen.Refused}); !slices.Contains(h.report.Narrowed, n) {
			h.report.Narrowed = append(h.report.Narrowed, n)
		}
		h.mu.Unlock()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report.Invalid++
	if !found && h.report.Invalid >= mostInvalid {
		h.report.Stopped = "the target refuses too many of the random bodies, with " + says + ": say in vary what may change"
	}
	return nil
}

// replayCorpus tries the cases that earlier searches found, before anything else.
func (h *hunter) replayCorpus(ctx context.Context) error {
	for _, c := range h.corpus {
		if c.Operation != h.op.Name || !slices.ContainsFunc(h.rows, func(r rewrite.Rewrite) bool { return r.ID == c.Trial.Rewrite }) {
			continue
		}
		j, err := h.pair(ctx, c.Trial)
		if err != nil || ctx.Err() != nil {
			return err
		}
		out := Replayed{File: c.File, Rewrite: c.Trial.Rewrite, Verdict: j.verdict, Detail: j.detail}
		switch {
		case j.history == nil:
			out.Verdict, out.Detail = verdict.NotAssessed, "the case does not fit the operation's request any more; remove the file, or mend the sample"
		case j.failed():
			h.count(1)
			f := h.keep(j, "corpus")
			f.Case = c.File
		default:
			h.count(1)
		}
		h.report.Corpus = append(h.report.Corpus, out)
		h.tell("corpus")
	}
	return nil
}
