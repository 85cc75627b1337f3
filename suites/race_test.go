package suites_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/race"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

var raceRounds = flag.Int("race-rounds", 50, "bursts against the correct mock; the bar is 5000")

// batch is how many rounds one mock is raced for: its lists grow, and reading them takes longer each time.
const batch = 250

// TestNoFalseRace is the bar: no burst against the correct mock is ever called a second execution. Each round is ten keys with two
// requests each, by the best rung, judged by the rule of race/one-effect.
func TestNoFalseRace(t *testing.T) {
	t.Parallel()
	var sum raced
	rounds := *raceRounds
	if testing.Short() {
		rounds = min(rounds, 5) // the more are there to be counted
	}
	for left := rounds; left > 0 && !t.Failed(); left -= batch {
		sum.campaign(t, min(left, batch))
	}
	t.Logf("%d rounds: %v; all requests overlapped in %d, by %v", rounds, sum.outcomes, sum.met, sum.rungs)
}

// raced is what became of rounds.
type raced struct {
	outcomes map[verdict.Outcome]int
	rungs    map[string]int
	met      int // rounds in which all requests overlapped
}

// campaign races a mock of its own.
func (r *raced) campaign(t *testing.T, rounds int) {
	t.Helper()
	cfg := mock(t, "")
	tg, err := target.Start(t.Context(), target.Options{Config: cfg, Seed: 1, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer tg.Close(t.Context())
	op := cfg.Operations["create-ticket"]
	if s, _, err := tg.Steady(t.Context(), op); err != nil || s.Problem != nil {
		t.Fatal(err, s.Problem)
	}
	if r.outcomes == nil {
		r.outcomes, r.rungs = map[verdict.Outcome]int{}, map[string]int{}
	}
	for range rounds {
		stage := tg.Stage(target.Scenario{ID: "race/one-effect"}, op, target.StageOptions{})
		r.round(t, cfg, stage)
		if err := tg.Revive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *raced) round(t *testing.T, cfg *config.Config, stage *target.Stage) {
	t.Helper()
	const keys, each = 10, 2
	var intents []*target.Intent
	var shots []target.Shot
	for range keys {
		in, err := stage.Intent(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		intents = append(intents, in)
		for range each {
			shots = append(shots, target.Shot{Intent: in})
		}
	}
	stage.Burst(t.Context(), "duplicate", shots)
	for _, in := range intents {
		stage.Resolve(t.Context(), in, target.Send{})
		stage.Observe(t.Context(), in, "after")
	}
	hs := stage.Histories()
	for _, b := range hs[0].Bursts("") {
		r.rungs[b.Rung]++
		if b.Overlapped == keys*each {
			r.met++
		}
	}
	requirement, _ := catalogue.Find("race/one-effect")
	for _, f := range race.Rules()[requirement.ID](rule.Case{Requirement: requirement, Contract: cfg.Contract, Operation: hs[0].Operations[0], Histories: hs}) {
		r.outcomes[f.Outcome]++
		if f.Outcome != verdict.Pass {
			t.Errorf("%s: %s", f.Outcome, f.Detail)
		}
	}
}

// TestRunSaysWhatItsRacesCanSee: the detection power is in the histories' headers and in the words of the verdicts.
func TestRunSaysWhatItsRacesCanSee(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("measures for a while: a short run does it in scenarios/target/power")
	}
	report, err := suites.Execute(t.Context(), suites.Options{Config: mock(t, ""), Racy: self(t, asRacy),
		Selection: run.Selection{Requirements: []string{"race/one-effect"}, Operations: []string{"create-ticket"}}})
	if err != nil {
		t.Fatal(err)
	}
	power := map[string]*history.Power{}
	for _, h := range report.Histories {
		if h.Rung != "" {
			power[h.Rung] = h.Power
		}
	}
	for rung, p := range power {
		if p == nil || p.Rung != rung || len(p.Windows) == 0 || p.Windows[0].Rounds == 0 {
			t.Errorf("%s: %+v", rung, p)
		}
	}
	if len(power) == 0 {
		t.Error("no burst names its rung")
	}
	for _, v := range report.Verdicts {
		if v.Verdict != verdict.Pass || !strings.Contains(v.Detail, "would have been seen with probability") {
			t.Errorf("%s %s: %s", v.Verdict, v.ID, v.Detail)
		}
	}
}
