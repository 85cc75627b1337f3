package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
)

// lookLimit bounds the wait for a duplicate's answer, which a target may hold back until the first is done.
const lookLimit = 250 * time.Millisecond

// sight is what can be seen of an intent at one moment.
type sight struct {
	local    int // effects in the target's own state
	booked   int
	called   bool   // a downstream call came
	state    string // of the status resource; empty: none was read
	evidence []string
}

// Look names the phase of the intent from what can be seen now: local effects, ledger, status, and a duplicate's answer
// (bounded wait, since a duplicate may block; not sent when duplicate is false). The duplicate is an attempt with the label
// "look"; nothing else is recorded.
func (s *Stage) Look(ctx context.Context, in *Intent, duplicate bool) (phase string, evidence []string) {
	now := s.see(ctx, in)
	phase = now.phase()
	certain := phase != history.PhaseUnknown && now.state != ""
	if certain || !duplicate {
		return phase, now.evidence
	}
	phase, word := s.askDuplicate(ctx, in, now)
	return phase, append(now.evidence, word)
}

func (s *Stage) see(ctx context.Context, in *Intent) sight {
	var now sight
	for _, o := range s.readings(ctx, in, "") {
		switch {
		case o.Error != "":
			now.say("%s could not be read", o.Probe)
		case o.Kind == history.Ledger:
			now.booked = max(now.booked, o.Count)
			now.called = now.called || len(o.Calls) > 0
			now.say("%d downstream calls, %d booked", len(o.Calls), o.Count)
		default:
			now.local = max(now.local, o.Count)
			now.say("%s shows %d effects", o.Probe, o.Count)
		}
	}
	if st := s.readStatus(ctx, in, "", in.Tenant); st != nil {
		now.state = st.State
		now.say("status reads %s", orNothing(st.State))
	}
	return now
}

func (s sight) effects() int { return s.local + s.booked }

func (s *sight) say(format string, args ...any) {
	s.evidence = append(s.evidence, fmt.Sprintf(format, args...))
}

func orNothing(word string) string {
	if word == "" {
		return "nothing that is known"
	}
	return word
}

// phase concludes from state alone.
func (s sight) phase() string {
	switch {
	case s.state == history.Succeeded || s.state == history.Failed:
		return history.AfterRecord
	case s.local > 0 || s.booked > 0:
		return history.AfterEffect
	case s.state == history.InProgress:
		return history.AfterClaim
	case s.state == history.Absent && !s.called:
		return history.BeforeClaim
	}
	return history.PhaseUnknown
}

// askDuplicate sends the request again and concludes from how that is met, and from what was seen before.
func (s *Stage) askDuplicate(ctx context.Context, in *Intent, before sight) (phase, word string) {
	claimed := history.AfterClaim
	if before.local > 0 || before.booked > 0 {
		claimed = history.AfterEffect
	}
	f := s.Go(ctx, in, Send{Label: "look", Timeout: min(s.target.cfg.Timeouts.Request, lookLimit)})
	a := f.Wait(ctx)
	switch {
	case a.Outcome == history.Lost && a.Link.RequestWhole && a.Link.ResponseBytes == 0:
		return claimed, "a duplicate is made to wait"
	case a.Outcome != history.Answered:
		return before.phase(), "a duplicate was not answered: " + a.Reason
	}
	word = fmt.Sprintf("a duplicate was answered %d", a.Answer.Status)
	switch class := f.class(); {
	case class == contract.InFlightAnswer:
		return claimed, word + ": in flight"
	case class == contract.Replay:
		return history.AfterRecord, word + ": a replay"
	case class != contract.Result:
		return before.phase(), word
	case claimed == history.AfterEffect && s.see(ctx, in).effects() == before.effects():
		return history.AfterRecord, word + ", and nothing more was done: a replay"
	}
	// Either it was replayed or it was executed beside the first.
	return before.phase(), word + ", a result, although the first is not done"
}

// Kill kills the target's first instance and records a history.Fault with the phase given by Look or the procedure.
func (s *Stage) Kill(ctx context.Context, in *Intent, phase string, evidence []string) error {
	return s.Instance(0).Kill(ctx, in, phase, evidence)
}

// Restart starts it again and waits until it is ready.
func (s *Stage) Restart(ctx context.Context) error { return s.Instance(0).Restart(ctx) }

// Revive makes the target ready for the next scenario: it ends what the last one left open, takes the last readings of
// intents that only their baseline tells apart, and starts the target again where it is down.
func (t *Target) Revive(ctx context.Context) error {
	t.endLeftovers()
	if err := t.revive(ctx); err != nil {
		return err
	}
	if t.crowded() && t.actors.unsettled() {
		Pause(ctx, t.cfg.Timeouts.Settle)
	}
	t.lastShared(ctx)
	t.actors.disperse()
	t.mu.Lock()
	t.runs = nil
	t.mu.Unlock()
	return ctx.Err()
}

// crowded tells whether any operation has a probe that cannot tell intents apart.
func (t *Target) crowded() bool {
	for _, k := range t.operations {
		if slices.ContainsFunc(k.probes, func(e *stateProbe) bool { return e.shared }) {
			return true
		}
	}
	return false
}

// revive sees that all instances serve which every scenario finds, and ends the others.
func (t *Target) revive(ctx context.Context) error {
	for _, i := range t.instances {
		if i.onDemand() {
			if err := t.dismiss(ctx, i); err != nil {
				return err
			}
		} else if err := t.reviveOne(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (t *Target) reviveOne(ctx context.Context, i *instance) error {
	if err := i.thaw(ctx); err != nil && (i.stands() == frozen || t.silent(ctx, i)) {
		return &EnvironmentError{What: t.name(i) + " was paused and does not go on", Err: redactedError{t.redact.text(err.Error()), err}}
	}
	seen := i.accepts(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case seen == nil:
		i.becomes(serving)
		return nil
	}
	if err := t.throughLost(ctx, i); err != nil {
		return err
	}
	if i.life == nil || !i.life.Can().Has(life.CanStart) {
		return &EnvironmentError{What: t.name(i) + " went down", Err: fmt.Errorf("nobody takes connections at %s any more: %w", i.base.addr, seen)}
	}
	again := i.life.Restart
	if !i.managed {
		again = i.life.Start // a hook that kills may fail where there is nothing to kill
	}
	if err := again(ctx); err != nil {
		if lost := t.throughLost(ctx, i); lost != nil {
			return lost
		}
		return &EnvironmentError{What: t.name(i) + " went down and does not come up again", Err: redactedError{t.redact.text(err.Error()), err}}
	}
	i.becomes(serving)
	return nil
}

// thaw lets the instance go on, if it may stand still; an error is of one that may do so yet. One that has ended is started
// again by others.
func (i *instance) thaw(ctx context.Context) error {
	stands := i.stands()
	paused := stands == still || stands == frozen
	if !i.managed && !paused || !i.life.Can().Has(life.CanResume) {
		return nil
	}
	err := i.life.Resume(ctx)
	switch {
	case err == nil:
		i.becomes(serving)
	case !paused || errors.Is(err, life.ErrNotRunning):
		return nil
	}
	return err
}

// silent tells whether the instance is seen not to be at work: one that stands still takes connections all the same.
func (t *Target) silent(ctx context.Context, i *instance) bool {
	ready := t.cfg.Target.Lifecycle.Readiness()
	return ready.HTTP != "" && t.ready(i, ready)(ctx) != nil
}

// dismiss ends an instance that nobody wants any more.
func (t *Target) dismiss(ctx context.Context, i *instance) error {
	if i.stands() == down {
		return nil
	}
	if _, err := i.life.Kill(ctx); err != nil && !errors.Is(err, life.ErrNotRunning) {
		return &EnvironmentError{What: "ending " + t.name(i), Err: redactedError{t.redact.text(err.Error()), err}}
	}
	i.becomes(down)
	return nil
}

// Quiet waits until nothing is open: it ends leftover flights, releases held calls, says so in their histories, waits for
// downstream calls that are still being answered, and then as long as an effect may take to show: at least the settle time.
func (t *Target) Quiet(ctx context.Context) {
	t.endLeftovers()
	if t.gate != nil {
		idle, cancel := context.WithTimeout(ctx, t.cfg.Timeouts.Recovery)
		defer cancel()
		if err := t.gate.WaitIdle(idle); err != nil {
			t.log.Warn("the downstream gate does not become idle", "error", err)
		}
	}
	Pause(ctx, t.longestGrace())
	t.lastShared(ctx)
	t.actors.disperse()
}
