package fuzz

import (
	"context"
	"slices"
	"time"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// hand is a random body and the rewrites that are still to be tried on it.
type hand struct {
	changes []rewrite.Change
	body    int // so many of the changes are the body's; the others are what the rewrites need
	trials  []rewrite.Trial
}

// drawable finds the rewrites for random bodies, and tells whether there is anything to search.
func (h *hunter) drawable() bool {
	if h.sample == nil || h.report.Premise != "" || h.o.noSearch || h.enough() {
		return false
	}
	h.drawn = slices.DeleteFunc(rewrite.Usable(h.sample, h.rows), func(r rewrite.Rewrite) bool {
		class := r.ClassUnder(h.o.Config.Contract)
		wire := r.Part != rewrite.Body && r.Part != rewrite.Query // the sweep covers them: their place is the whole message
		if !wire && (class == rewrite.Undeclared || class == rewrite.Unclaimed) {
			h.report.Undeclared = append(h.report.Undeclared, r.ID)
		}
		return wire || class == rewrite.Undeclared || class == rewrite.Unclaimed
	})
	switch {
	case h.overwritten():
		h.report.Stopped = "refused requests overwrite the original's record, so that nothing more can be told: mend that first"
	case h.cut:
	case len(h.drawn) == 0:
		h.report.Stopped = "no rewrite is left for random bodies: the sweep tried those that were chosen"
	default:
		return true
	}
	return false
}

// draw searches at random until the cases or the time are up. What is sent depends on the seed, and on what the target answered to
// what was sent before.
func (h *hunter) draw(ctx context.Context) error {
	dealer := rewrite.Dealer{Sample: h.sample, Rows: h.drawn, Seed: h.o.Seed, First: h.o.noSweep}
	over := h.budget()
	dealt, planned := 0, 0 // planned: pairs under way
	next := func() (func() drawn, bool) {
		for !over(planned) && !h.enough() && ctx.Err() == nil {
			dealt++
			if one, some := h.deal(dealer, dealt); some {
				planned += len(one.trials)
				screen := h.screen(ctx, one.changes, one.trials, true)
				return func() drawn { return drawn{one, screen()} }, true
			}
			h.count(1) // nothing of this hand is new; else a search that found everything would never end
		}
		return nil, false
	}
	err := inTurn(h.workers(), next, func(d drawn) error {
		planned -= len(d.hand.trials)
		return h.play(ctx, d)
	})
	if err == nil {
		err = h.lookAgain(ctx, len(h.deferred))
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// budget tells when the search is over; pairs that are under way count.
func (h *hunter) budget() (over func(planned int) bool) {
	before, cases := h.report.Pairs, h.o.Cases
	return func(planned int) bool { return h.up() || cases > 0 && h.report.Pairs-before+planned >= cases }
}

// deal gives the hand of a number, without what was settled meanwhile; false: nothing is left of it.
func (h *hunter) deal(dealer rewrite.Dealer, n int) (hand, bool) {
	dealt, bodies := dealer.Deal(n)
	if !bodies {
		h.report.Undrawn++
	}
	dealt.Changes = h.allowed(dealt.Changes)
	dealt.Rows = slices.DeleteFunc(dealt.Rows, h.settled)
	changes, trials, some := dealt.On(h.sample)
	return hand{changes, len(dealt.Changes), trials}, some
}

// drawn is a hand and what its screening showed.
type drawn struct {
	hand
	*screening
}

// play looks closely at the first pair of a screening that seems wrong, and screens the rest of the hand again, until it is
// done with.
func (h *hunter) play(ctx context.Context, d drawn) error {
	defer h.tell("search")
	trials, g := d.hand.trials, d.screening
	for {
		h.spent(g.stage)
		switch {
		case g.err != nil || ctx.Err() != nil || h.enough():
			g.stage.Drop()
			return g.err
		case g.seen.Refused != "":
			g.stage.Drop()
			return h.narrow(ctx, d.hand, g.seen.Refused)
		}
		done, err := h.inspect(ctx, g)
		switch {
		case g.seen.Executed != "" && err == nil:
			err = h.late(ctx, g)
			g.stage.Drop()
		case g.seen.Unclear == "":
			h.settle(g)
		default:
			g.stage.Drop()
		}
		if err != nil {
			return err
		}
		if trials = trials[done:]; len(trials) == 0 || h.enough() || h.up() || ctx.Err() != nil {
			break
		}
		g = h.screen(ctx, g.changes, trials, true)()
	}
	if len(h.deferred) >= mostDeferred {
		return h.lookAgain(ctx, mostDeferred/2)
	}
	return nil
}

// screening is one A and many B's, and what they showed.
type screening struct {
	changes []rewrite.Change
	trials  []rewrite.Trial
	stage   *target.Stage
	intent  *target.Intent
	seen    fingerprint.Screened
	err     error

	settling bool // it is looked at once more
	ended    time.Time
}

// screen makes A's intent, and returns what sends it all.
func (h *hunter) screen(ctx context.Context, changes []rewrite.Change, trials []rewrite.Trial, hurry bool) func() *screening {
	s, in, err := h.begin(ctx)
	g := &screening{changes: changes, trials: trials, stage: s, intent: in, err: err}
	shape := h.shape()
	return func() *screening {
		if g.err == nil {
			g.seen, g.err = fingerprint.Screen(ctx, s, shape, fingerprint.Screening{Changes: changes, Trials: trials, Intent: in, Hurry: hurry})
			g.ended = time.Now()
		}
		return g
	}
}

// inspect goes through a screening up to the first suspect, and returns how many of its trials are done with.
func (h *hunter) inspect(ctx context.Context, g *screening) (done int, err error) {
	for i, t := range g.trials {
		if i >= len(g.seen.Pairs) || g.seen.Unclear != "" {
			return len(g.trials), nil
		}
		switch sighting := g.seen.Pairs[i]; {
		case sighting == fingerprint.Suspected:
			t.Changes = g.changes
			h.count(1)
			_, err := h.suspect(ctx, h.shape(), t)
			return i + 1, err
		case sighting == fingerprint.NotSent:
			return max(1, i), nil
		case sighting != fingerprint.Unclear:
			h.count(1)
		}
	}
	return len(g.trials), nil
}
