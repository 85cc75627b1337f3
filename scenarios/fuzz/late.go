package fuzz

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// mostDeferred is how many screenings wait for a second look. It is large enough that by the time it is reached the older half
// has settled, so that nobody waits for it.
const mostDeferred = 256

// deferred is a screening that showed nothing wrong when it ended, and is looked at again later: a target may execute late.
type deferred struct {
	*screening
	phase string
}

// settle keeps a screening for a second look.
func (h *hunter) settle(g *screening) {
	g.settling = true
	h.deferred = append(h.deferred, deferred{g, h.phase})
}

// settling is how long an effect may take to show.
func (h *hunter) settling(g *screening) time.Duration {
	wait := h.o.Config.Timeouts.Settle
	for _, hist := range g.stage.Histories() {
		wait = max(wait, 3*time.Duration(hist.LagMS)*time.Millisecond)
	}
	return wait
}

// lookAgain counts the effects of the n oldest screenings that are kept, and looks closely at the pairs of those that show
// more now. Then each try waits too.
func (h *hunter) lookAgain(ctx context.Context, n int) error {
	if h.enough() {
		return nil
	}
	list := h.deferred[:n]
	h.deferred = h.deferred[n:]
	phase := h.phase
	defer func() { h.phase = phase }()
	return each(h.workers(), list, func(g deferred) func() fingerprint.Screened {
		target.Pause(ctx, time.Until(g.ended.Add(h.settling(g.screening))))
		return func() fingerprint.Screened { return fingerprint.ScreenedLate(ctx, g.stage, g.intent) }
	}, func(g deferred, seen fingerprint.Screened) error {
		defer g.stage.Drop()
		if seen.Executed == "" || ctx.Err() != nil || h.enough() {
			return nil
		}
		h.phase = g.phase
		return h.late(ctx, g.screening)
	})
}

// late finds which pairs of a screening led to a late execution. Each is tried again under a key of its own, all at once,
// since each has to wait; those that show it again are suspects.
func (h *hunter) late(ctx context.Context, g *screening) error {
	shape := h.shape()
	shape.Settle = h.settling(g)
	var trials []rewrite.Trial
	for i, t := range g.trials {
		r, _ := rewrite.Find(t.Rewrite)
		if f := h.report.finding(t.Rewrite); f != nil && f.Kind == fingerprint.DoubleExecution {
			return nil // that one explains it
		}
		_, _, mayExecute := r.ClassUnder(h.o.Config.Contract).Allowed()
		if i < len(g.seen.Pairs) && g.seen.Pairs[i] != fingerprint.NotSent && !mayExecute {
			t.Changes = g.changes
			trials = append(trials, t)
		}
	}
	width := h.workers()
	if width > 1 {
		width = len(trials)
	}
	return each(width, trials, func(t rewrite.Trial) func() tried {
		s, in, err := h.begin(ctx)
		return func() (out tried) {
			if out.stage, out.err = s, err; err == nil {
				out.kind, out.err = fingerprint.Try(ctx, s, in, shape, t)
			}
			return out
		}
	}, func(t rewrite.Trial, out tried) error {
		h.spent(out.stage)
		out.stage.Drop()
		if out.err != nil || ctx.Err() != nil || h.enough() || out.kind != fingerprint.DoubleExecution {
			return out.err
		}
		_, err := h.suspect(ctx, shape, t)
		return err
	})
}

// tried is what one pair showed.
type tried struct {
	stage *target.Stage
	kind  fingerprint.Kind
	err   error
}

// forget drops what is kept still.
func (h *hunter) forget() {
	for _, g := range h.deferred {
		g.stage.Drop()
	}
	h.deferred = nil
}
