package target

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
)

const (
	// lagFactor is how much longer than in the steady state an effect may take to show.
	lagFactor = 3
	// Pauses between two looks at a probe that does not show yet what was promised.
	firstLook = 2 * time.Millisecond
	lastLook  = 100 * time.Millisecond
)

// Observe reads every probe for the intent and records it. Where an answer promised an effect it waits for it to show, up to
// three times the lag of the steady state, at least the settle time. A probe that cannot tell the intent from others that
// acted since its baseline is left out.
func (s *Stage) Observe(ctx context.Context, in *Intent, moment string) []history.Observation {
	g := s.target.steadyOf(in.Operation)
	list := s.awaitEffectsIn(ctx, in, moment, s.grace(g), g)
	s.record(list)
	return list
}

// grace is how long a promised effect may take to show. Waiting costs something only where the effect is missing, so it is
// generous: a slow moment of the machine is no defect of the target.
func (s *Stage) grace(g *steadyFacts) time.Duration {
	return max(lagFactor*g.lag, s.target.cfg.Timeouts.Settle)
}

// longestGrace is that of the operation whose effects take longest. A duplicate that the last retry made shows no earlier
// than any other effect.
func (t *Target) longestGrace() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	longest := t.cfg.Timeouts.Settle
	for _, g := range t.steady {
		longest = max(longest, lagFactor*g.lag)
	}
	return longest
}

func (s *Stage) record(list []history.Observation) {
	for _, o := range list {
		s.rec.add(history.Event{Observation: &o})
	}
}

// awaitEffects reads until every probe shows the intent's effect, or the limit is reached.
func (s *Stage) awaitEffects(ctx context.Context, in *Intent, limit time.Duration) []history.Observation {
	return s.awaitEffectsIn(ctx, in, "", limit, s.target.steadyOf(in.Operation))
}

func (s *Stage) awaitEffectsIn(ctx context.Context, in *Intent, moment string, limit time.Duration, g *steadyFacts) []history.Observation {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began, late := time.Now(), false
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		list := s.readingsIn(ctx, in, moment, g)
		short, shared := in.short(list)
		switch {
		case !short:
			if late {
				s.target.actors.came(time.Since(began))
			}
			return list
		case !Pause(limited, pause):
			return s.readingsIn(ctx, in, moment, g) // the one before may be older than the limit
		}
		late = late || shared
	}
}

// short tells whether a probe does not show yet what the answers promised, and whether that is one that sees all intents
// together. What is read over HTTP is read as the intent's tenant, who need not see what a twin of another tenant did; where it
// sees it all the same, that is waited for too.
func (in *Intent) short(list []history.Observation) (some, shared bool) {
	all, own := in.state.trace.promised(in.Tenant)
	for _, e := range in.state.operation.probes {
		for _, o := range list {
			if o.Probe != e.name || e.quiet {
				continue
			}
			want := all
			if e.asTenant && !in.state.trace.open(e.name, shown(o) > own) {
				want = own
			}
			if shown(o) < want {
				some, shared = true, shared || e.shared && o.Error == ""
			}
		}
	}
	return some, shared
}

// shows tells whether every probe shows what the answers promised.
func (in *Intent) shows(list []history.Observation) bool {
	short, _ := in.short(list)
	return !short
}

// shown is how many effects a reading shows. One that could not be taken shows none; one that moved by an odd amount shows
// that no more is to be waited for.
func shown(o history.Observation) int {
	switch {
	case o.Error != "":
		return 0
	case o.Odd != "":
		return math.MaxInt
	}
	return o.Count
}

// readings reads all probes that speak of the intent, without recording.
func (s *Stage) readings(ctx context.Context, in *Intent, moment string) []history.Observation {
	return s.readingsIn(ctx, in, moment, s.target.steadyOf(in.Operation))
}

func (s *Stage) readingsIn(ctx context.Context, in *Intent, moment string, g *steadyFacts) []history.Observation {
	var list []history.Observation
	for _, e := range in.state.operation.probes {
		if o, ok := s.look(ctx, in, e, moment, g); ok {
			list = append(list, o)
		}
	}
	return list
}

// look reads one probe; false where it says nothing of the intent.
func (s *Stage) look(ctx context.Context, in *Intent, e *stateProbe, moment string, g *steadyFacts) (history.Observation, bool) {
	actors, st := &s.target.actors, in.state
	o := history.Observation{Intent: in.ID, Probe: e.name, Kind: e.kind, Moment: moment, Extra: e.quiet}
	switch {
	case e.shared && !actors.alone(st.family), e.kind == history.Value && (st.foreign || actors.isAltered(st.family)), e.quiet && g.books == 0:
		return o, false
	}
	now := s.target.read(ctx, e, in)
	if e.shared && !actors.alone(st.family) {
		return o, false // somebody came while it was read
	}
	base := st.baseline[e.name]
	if e.kind != history.Ledger && (e.shared || e.kind == history.Value) && now.err == nil {
		now.err = base.failed()
	}
	if now.err == nil && e.shared && e.kind != history.Value {
		now.Reading, now.err = now.Since(base.Reading)
	}
	switch {
	case now.err != nil:
		o.Error = s.target.redact.text(now.err.Error())
	case e.kind == history.Value:
		o.Value = now.Value
		o.Count, o.Odd = moved(base.Value, now.Value, g.units[e.name], st.isOwn())
	case e.kind == history.Ledger:
		o.Calls = now.calls
		o.Count = (now.Count + max(1, g.books) - 1) / max(1, g.books)
	default:
		o.Count, o.IDs = now.Count, s.target.redact.words(now.IDs)
	}
	return o, true
}

// failed says why there is nothing to compare a later reading with.
func (r reading) failed() error {
	if r.err == nil {
		return nil
	}
	return fmt.Errorf("there is no reading from before: %w", r.err)
}

// moved is how often a value moved by the change that one execution makes. Where another payload than the intent's own was
// sent, or that change is not known, it only tells whether the value moved.
func moved(before, after, unit string, own bool) (count int, odd string) {
	if own {
		if times, odd, err := probe.Moves(before, after, unit); err == nil {
			return times, odd
		}
	}
	if moves := probe.Difference(before, after); moves == "" || moves == "0" {
		return 0, ""
	}
	return 1, ""
}

// read reads a probe within the time of a request.
func (t *Target) read(ctx context.Context, e *stateProbe, in *Intent) reading {
	t.unpaced()
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Timeouts.Request)
	defer cancel()
	r, err := e.read(ctx, in)
	if err != nil {
		r.err = err
	}
	return r
}

// baseline takes the readings that later ones are compared with, and lets earlier intents have their last word from shared
// probes: from now on they cannot be told apart.
func (s *Stage) baseline(ctx context.Context, in *Intent) {
	t, st := s.target, in.state
	shared := slices.ContainsFunc(st.operation.probes, func(e *stateProbe) bool { return e.shared })
	if shared {
		t.lateEffects(ctx)
		t.lastShared(ctx)
	}
	alone := t.actors.enter(st.family)
	st.baseline = map[string]reading{}
	for _, e := range st.operation.probes {
		if e.shared && !alone || !e.shared && e.kind != history.Value {
			continue
		}
		st.baseline[e.name] = t.read(ctx, e, in)
		s.recordBaseline(in, e, st.baseline[e.name])
	}
	if !shared {
		return
	}
	t.actors.baselined(st.family)
	t.mu.Lock()
	t.watched = append(t.watched, watched{s, in})
	t.mu.Unlock()
}

// lateEffects waits where effects come some time after their answers: what others were promised before must not be counted as
// what the next one does.
func (t *Target) lateEffects(ctx context.Context) {
	last, late := t.actors.late()
	if rest := time.Until(last.Add(lagFactor * min(late, t.cfg.Timeouts.Settle))); late > 0 && rest > 0 {
		Pause(ctx, rest)
	}
}

func (s *Stage) recordBaseline(in *Intent, e *stateProbe, r reading) {
	o := history.Observation{Intent: in.ID, Probe: e.name, Kind: e.kind, Moment: history.Beforehand, Value: r.Value}
	if r.err != nil {
		o.Error = s.target.redact.text(r.err.Error())
	}
	s.record([]history.Observation{o})
}

// watched is an intent that shared probes can tell apart for the time being.
type watched struct {
	stage  *Stage
	intent *Intent
}

// lastShared takes the last readings of intents that shared probes can still tell apart. Where only the baseline isolates an
// intent, what it did gets the time to show.
func (t *Target) lastShared(ctx context.Context) {
	t.mu.Lock()
	list := t.watched
	t.watched = nil
	t.mu.Unlock()
	for _, w := range list {
		st := w.intent.state
		if !t.actors.spoken(st.family) {
			continue
		}
		g := t.steadyOf(w.intent.Operation)
		if st.isolation == config.Exclusive {
			Pause(ctx, max(lagFactor*g.lag, firstLook))
		}
		for _, e := range st.operation.probes {
			if !e.shared {
				continue
			}
			if o, ok := w.stage.look(ctx, w.intent, e, history.AtTheEnd, g); ok {
				w.stage.record([]history.Observation{o})
			}
		}
	}
}

// final takes the last readings of all intents of a trial that can still be told apart, and their status.
func (s *Stage) final(ctx context.Context) {
	s.mu.Lock()
	intents := slices.Clone(s.intents)
	if s.settled {
		intents = nil
	}
	s.mu.Unlock()
	for _, in := range intents {
		if ctx.Err() != nil {
			return
		}
		if !in.state.wasSent() {
			continue
		}
		s.record(s.readings(ctx, in, history.AtTheEnd))
		s.Status(ctx, in, history.AtTheEnd)
	}
}

// changes is by how much each value moved since the baseline.
func (s *Stage) changes(ctx context.Context, in *Intent) map[string]string {
	var units map[string]string
	for _, e := range in.state.operation.probes {
		base := in.state.baseline[e.name]
		if e.kind != history.Value || base.err != nil {
			continue
		}
		now := s.target.read(ctx, e, in)
		if now.err != nil {
			continue
		}
		if units == nil {
			units = map[string]string{}
		}
		units[e.name] = probe.Difference(base.Value, now.Value)
	}
	return units
}
