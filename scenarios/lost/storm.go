package lost

import (
	"context"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const (
	// stormClients is how many clients are at work at once.
	stormClients = 8
	// stormHeld is how many of them a kill catches in mid-work, where there is a gate to hold them.
	stormHeld = 4
	// calmRounds go by between two rounds that kill or pause: a restart takes longer than all the rest.
	calmRounds = 4
	// roundTries is how often a round is played until its faults are proven to have landed.
	roundTries = 3
	// keptRounds are kept though all is well with them; of a longer storm the others are counted twice, judged and let go.
	keptRounds = 3
)

// lostStorm plays rounds of a storm, each from a schedule drawn with the seed, until enough operations were done, the time is
// over, the target may not be given more, or something went wrong. It runs its rule in the loop: what fails is made smaller, and
// what is well need not be kept.
func lostStorm(ctx context.Context, s *target.Stage) error {
	order := s.Storm()
	if order.Schedule != nil {
		return replayed(ctx, s, order)
	}
	if order.Operations == 0 && order.For == 0 {
		order.Operations = storm.Usual
		if s.Has(catalogue.NeedLargeBody) {
			order.Operations /= 2 // each attempt moves a megabyte: it need not take longer than the others
		}
	}
	v := &rounds{stage: s, began: time.Now(), order: order}
	for v.more() {
		if err := v.next(ctx); err != nil || v.failed {
			return err
		}
	}
	return v.end(ctx)
}

// replayed plays one schedule as often as was asked for.
func replayed(ctx context.Context, s *target.Stage, order storm.Order) error {
	for i := range max(1, order.Times) {
		if err := play(ctx, s.Trial(fmt.Sprintf("replay %d", i+1)), history.Storm{Schedule: order.Schedule}, s.Config().Timeouts.Recovery); err != nil {
			return err
		}
	}
	return nil
}

// rounds is the state of a storm: the rounds that were played and those to come.
type rounds struct {
	stage *target.Stage
	order storm.Order
	began time.Time

	round, calls, attempts int
	before                 *target.Stage // the round before, counted once
	dropped                int
	failed                 bool
}

// more tells whether there is to be another round.
func (v *rounds) more() bool {
	return v.round == 0 ||
		(v.order.Operations == 0 || v.calls < v.order.Operations) && (v.order.For == 0 || time.Since(v.began) < v.order.For)
}

// next plays a round, judges it, and counts the one before it again.
func (v *rounds) next(ctx context.Context) error {
	calls := storm.Round
	if v.order.Operations > 0 {
		calls = min(calls, v.order.Operations-v.calls)
	}
	schedule := v.draw(calls)
	if left := v.stage.ObjectsLeft(); v.round > 0 && left < schedule.Intents() {
		v.stage.Note("limits.objects ends the storm: %d more objects may be made", left)
		v.order.Operations = max(1, v.calls)
		return nil
	}
	v.round++
	var trial *target.Stage
	var outcome verdict.Outcome
	var h *history.History
	for try := 1; try <= roundTries; try++ { // the whole storm is not played again for one round that proves nothing
		if trial != nil {
			v.stage.Forget(trial)
		}
		trial = v.stage.Trial(fmt.Sprintf("round %d", v.round))
		if err := play(ctx, trial, history.Storm{Schedule: schedule}, v.stage.Config().Timeouts.Recovery); err != nil {
			return err
		}
		if outcome, h = judged(v.stage, trial); outcome != verdict.Inconclusive || ctx.Err() != nil {
			break
		}
	}
	v.calls += len(schedule.Calls)
	switch {
	case h != nil && outcome == verdict.Fail:
		v.failed = true
		return shrunk(ctx, v.stage, trial, h)
	case h != nil:
		v.attempts += len(h.Attempts())
	}
	return v.settle(ctx, trial)
}

// draw makes the round's schedule.
func (v *rounds) draw(calls int) *storm.Schedule {
	s, blows := v.stage, v.round%calmRounds == 0
	o := storm.Options{Operation: s.Operation().Name, Seed: s.Rand().Uint64() >> 12, Calls: calls, Clients: min(stormClients, calls),
		Changed: s.Has(catalogue.NeedChange) && refusesChanges(s.Contract()),
		Kill:    blows && s.Has(catalogue.NeedLifecycle) && s.Can(life.CanKill|life.CanStart),
		Pause:   blows && s.Can(life.CanPause|life.CanResume)}
	if s.Has(catalogue.NeedGate) {
		o.Held = stormHeld
	}
	return storm.Draw(o)
}

// refusesChanges: elsewhere a changed payload is carried out or replayed, and the storm could not tell whose effect is seen.
func refusesChanges(c contract.Contract) bool {
	return (c.Mismatch.Action == contract.ActionRefuse || c.Mismatch.Action == "") && c.Fingerprint.Mode != contract.ModeNone
}

// settle counts the round before once more, and lets it go if all is well with it: a duplicate that came late was seen by then.
func (v *rounds) settle(ctx context.Context, trial *target.Stage) error {
	previous := v.before
	v.before = trial
	if previous == nil || v.round-1 <= keptRounds {
		return nil
	}
	count(ctx, previous, "again")
	if outcome, h := judged(v.stage, previous); h == nil || outcome != verdict.Pass {
		v.failed = outcome == verdict.Fail
		return ctx.Err()
	}
	v.stage.Forget(previous)
	v.dropped++
	return nil
}

// end says what was played and is not kept.
func (v *rounds) end(ctx context.Context) error {
	if v.dropped > 0 {
		v.stage.Note("%d rounds, %d calls, %d attempts in %v; %d rounds that were counted twice and well were not kept",
			v.round, v.calls, v.attempts, time.Since(v.began).Round(time.Millisecond), v.dropped)
	}
	return ctx.Err()
}

// caseOf is what the rule knows of the storm.
func caseOf(s *target.Stage) rule.Case {
	return rule.Case{Contract: s.Contract(), Operation: s.Operation().Name}
}

// judged is what the rule says of a trial so far.
func judged(s, trial *target.Stage) (verdict.Outcome, *history.History) {
	hs := trial.Histories()
	if len(hs) == 0 {
		return verdict.Inconclusive, nil
	}
	outcome := verdict.Pass
	for _, f := range stormRule(caseOf(s), hs[0]) {
		if outcome == verdict.Pass || f.Outcome == verdict.Fail {
			outcome = f.Outcome
		}
	}
	return outcome, hs[0]
}
