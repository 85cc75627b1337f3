package target

import (
	"slices"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/storm"
)

// Storm is what a storm on this stage is to play.
func (s *Stage) Storm() storm.Order { return s.run.storm }

// Plays says which schedule the trial plays, and what came of playing it before.
func (s *Stage) Plays(p history.Storm) { s.rec.plays(p) }

func (r *recorder) plays(p history.Storm) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.Storm = &p
}

// Forget lets the trials go, histories and all: a long storm would fill the memory with what was counted twice and is well.
func (s *Stage) Forget(trials ...*Stage) {
	for _, trial := range trials {
		trial.leave()
		var calls []provider.Match
		for _, in := range trial.Intents() {
			calls = append(calls, in.state.trace.match())
			s.target.keys.forget(in.Key)
		}
		if gate := s.target.gate; gate != nil {
			gate.Forget(provider.Either(calls...))
		}
	}
	gone := func(t *Stage) bool { return slices.Contains(trials, t) }
	s.mu.Lock()
	s.children = slices.DeleteFunc(s.children, gone)
	s.mu.Unlock()
	s.run.mu.Lock()
	s.run.trials = slices.DeleteFunc(s.run.trials, gone)
	s.run.mu.Unlock()
}

// ObjectsLeft is how many more intents limits.objects allows.
func (s *Stage) ObjectsLeft() int {
	return s.target.cfg.Limits.Objects - int(s.target.objects.Load())
}

// Can tells whether all of that may be done to the target.
func (s *Stage) Can(verbs life.Verbs) bool {
	first := s.target.first()
	return first.life != nil && first.life.Can().Has(verbs)
}

// HoldAny arms the gate to hold the next downstream calls, whoever's they are; decide ends it and lets the held calls end
// without an answer, as those of a dead caller do. Without a gate nothing is held, and hold is nil.
func (s *Stage) HoldAny(when provider.When, limit int) (hold *provider.Hold, decide func()) {
	if s.target.gate == nil || limit == 0 {
		return nil, func() {}
	}
	hold = s.target.gate.Hold(when, nil, limit)
	return hold, s.heal(hold.Drop)
}
