package target

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Stage is where a procedure acts: one operation of the target, and the history of one trial. All methods may be used from
// several goroutines.
type Stage struct {
	target  *Target
	run     *scenarioRun
	steady  *steadyFacts
	rec     *recorder
	rand    *rand.Rand
	flights openFlights

	mu       sync.Mutex
	intents  []*Intent
	holds    []*Hold
	heals    []func()
	bursts   []*BurstFlight
	children []*Stage // trials opened from this one
	settled  bool     // the last readings were taken
}

// finalReaders is how many trials are read at a time at the end of a run, when nothing else happens.
const finalReaders = 4

// scenarioRun is one run of a scenario on an operation: what its trials share.
type scenarioRun struct {
	scenario Scenario
	op       *config.Operation
	try      int
	storm    storm.Order

	mu     sync.Mutex
	trials []*Stage
}

// StageOptions say which run of a scenario a stage is for.
type StageOptions struct {
	Try   int         // 1 for the first; the histories of later tries get numbers of their own
	Storm storm.Order // what a storm plays
}

// Stage opens the stage for one run of a scenario on one operation.
func (t *Target) Stage(sc Scenario, op *config.Operation, o StageOptions) *Stage {
	g := &scenarioRun{scenario: sc, op: op, try: max(1, o.Try), storm: o.Storm}
	t.mu.Lock()
	t.runs = append(t.runs, g)
	t.mu.Unlock()
	return t.open(g, "")
}

// open begins a trial.
func (t *Target) open(g *scenarioRun, name string) *Stage {
	s := &Stage{target: t, run: g, steady: t.steadyOf(g.op)}
	g.mu.Lock()
	defer g.mu.Unlock()
	s.rec = &recorder{
		now:  t.clock.now,
		name: func() string { return t.names.next(g.scenario.ID, g.op.Name) },
		history: &history.History{
			Schema:     history.Schema,
			Scenario:   g.scenario.ID,
			Operations: []string{g.op.Name},
			Trial:      name,
			Seed:       t.seed,
			Tries:      g.try,
		},
	}
	s.steady.describe(s.rec.history)
	s.rand = rand.New(&sharedSource{source: rand.NewPCG(t.seed, digest(g.scenario.ID, g.op.Name, name, fmt.Sprint(len(g.trials), g.try)))})
	g.trials = append(g.trials, s)
	return s
}

func digest(parts ...string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(parts, "\x00")))
	return h.Sum64()
}

// sharedSource lets several goroutines draw.
type sharedSource struct {
	mu     sync.Mutex
	source rand.Source
}

func (s *sharedSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.source.Uint64()
}

// Contract is what the target promises.
func (s *Stage) Contract() contract.Contract { return s.target.cfg.Contract }

// Class is what an attempt's answer means under the contract. A procedure may steer by it; it is no verdict.
func (s *Stage) Class(a *history.Attempt) contract.Class { return s.Contract().Classify(a.Exchange()) }

// Operation is the subject.
func (s *Stage) Operation() *config.Operation { return s.run.op }

// Config is the configuration of the run.
func (s *Stage) Config() *config.Config { return s.target.cfg }

// Has tells whether the operation offers a need, from configuration and steady state.
func (s *Stage) Has(n catalogue.Need) bool { return slices.Contains(s.steady.state.Offers, n) }

// TellsApart tells whether any probe sees what one intent did while others are at work.
func (s *Stage) TellsApart() bool {
	return slices.ContainsFunc(s.target.operations[s.run.op].probes, func(e *stateProbe) bool { return !e.shared })
}

// Rand is seeded by (seed, scenario, operation, trial). It is not for keys and markers, which are fresh in each run.
func (s *Stage) Rand() *rand.Rand { return s.rand }

// Second is another operation whose key travels in a header, or nil.
func (s *Stage) Second() *config.Operation {
	for _, name := range s.target.cfg.Order {
		if op := s.target.cfg.Operations[name]; op != s.run.op && !keyInPath(op) {
			return op
		}
	}
	return nil
}

// Tenants names the principals, the default first.
func (s *Stage) Tenants() []string { return s.target.tenants }

// Stranger is another principal than the default one; the default one itself where there is no other.
func (s *Stage) Stranger() string {
	if len(s.target.tenants) == 0 {
		return ""
	}
	return s.target.tenants[len(s.target.tenants)-1]
}

// ListPath is the path of the first effect that is read over HTTP, as the configuration writes it; empty: there is none.
func (s *Stage) ListPath() string {
	for _, e := range s.run.op.Effects {
		if e.HTTP != nil {
			return e.HTTP.Get
		}
	}
	return ""
}

// Trial opens another history of the same scenario; the receiver's own history is dropped if it has no events.
func (s *Stage) Trial(name string) *Stage {
	trial := s.target.open(s.run, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.children = append(s.children, trial)
	return trial
}

// trials are the stage's own and those opened from it, in order.
func (s *Stage) trials() []*Stage {
	s.mu.Lock()
	children := slices.Clone(s.children)
	s.mu.Unlock()
	all := []*Stage{s}
	for _, c := range children {
		all = append(all, c.trials()...)
	}
	return all
}

// Intents are those that were made on the stage itself, in order.
func (s *Stage) Intents() []*Intent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.intents)
}

// About says which pair of requests the trial is about.
func (s *Stage) About(r history.Rewrite) { s.rec.about(r) }

// Screens says which pairs of requests the trial is about, where they share one A.
func (s *Stage) Screens(list []history.Rewrite) { s.rec.screens(list) }

// Note adds a remark to the history.
func (s *Stage) Note(format string, args ...any) {
	s.rec.add(history.Event{Note: s.target.redact.text(fmt.Sprintf(format, args...))})
}

// Abort marks the current trial: the procedure could not go on, and nothing may be concluded from what is missing.
func (s *Stage) Abort(err error, blame verdict.Blame) {
	s.latest().rec.abort(s.target.redact.text(err.Error()), string(blame))
}

// latest is the trial that was opened last.
func (s *Stage) latest() *Stage {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	return s.run.trials[len(s.run.trials)-1]
}

// Histories returns what the stage and the trials opened from it left, in order, without those that have no events. It ends
// what they left open: attempts under way, armed holds, downstream failures. The histories stay the same; Final adds to them.
func (s *Stage) Histories() []*history.History {
	var kept []*history.History
	for _, trial := range s.trials() {
		trial.leave()
		if trial.rec.worthKeeping() {
			kept = append(kept, trial.rec.history)
		}
	}
	return kept
}

// Drop forgets the stage's run of its scenario, so that a search of many thousand trials needs no memory for those that showed
// nothing. What they left open is ended; their effects are not read again at the end.
func (s *Stage) Drop() {
	s.run.leave()
	t := s.target
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs = slices.DeleteFunc(t.runs, func(g *scenarioRun) bool { return g == s.run })
}

// leave ends what the procedure left open, in every trial, and says so in their histories.
func (g *scenarioRun) leave() {
	g.mu.Lock()
	trials := slices.Clone(g.trials)
	g.mu.Unlock()
	for _, s := range trials {
		s.leave()
	}
}

func (s *Stage) leave() {
	s.mu.Lock()
	holds, heals, bursts := s.holds, s.heals, s.bursts
	s.holds, s.heals, s.bursts = nil, nil, nil
	s.mu.Unlock()
	for _, heal := range heals {
		heal()
	}
	for _, h := range holds {
		if h.settle() {
			s.Note("a held downstream call was left over and released")
		}
	}
	if n := s.flights.clear(); n > 0 {
		s.Note("%d attempts were left open and given up", n)
	}
	for _, b := range bursts {
		<-b.done // it still records how far its attempts were together
	}
}

// Final takes the "final" readings of every intent of the stage and of the trials opened from it.
func (s *Stage) Final(ctx context.Context) {
	var reading sync.WaitGroup
	free := make(chan struct{}, finalReaders)
	for _, trial := range s.trials() {
		free <- struct{}{}
		reading.Go(func() {
			trial.final(ctx)
			<-free
		})
	}
	reading.Wait()
}

func keyInPath(op *config.Operation) bool { return strings.Contains(op.Request.Path, "{key}") }
