package suites_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/race"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

var raceRounds = flag.Int("race-rounds", 50, "bursts against the correct mock; the bar is 5000")

// TestNoFalseRace is the bar: no burst against the correct mock is ever called a second execution. Each round is ten keys with two
// requests each, by the best rung, judged by the rule of race/one-effect.
func TestNoFalseRace(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := suites.Mock([]string{self, asMock}, "")
	if err != nil {
		t.Fatal(err)
	}
	const keys, each = 10, 2
	cfg.Limits.Objects = 100 + keys**raceRounds
	tg, err := target.Start(t.Context(), target.Options{Config: cfg, Seed: 1, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tg.Close(t.Context()) })
	op := cfg.Operations["create-ticket"]
	if s, _, err := tg.Steady(t.Context(), op); err != nil || s.Problem != nil {
		t.Fatal(err, s.Problem)
	}
	requirement, _ := catalogue.Find("race/one-effect")
	counts := map[verdict.Outcome]int{}
	met, frozen := 0, 0
	for range *raceRounds {
		stage := tg.Stage(target.Scenario{ID: "race/one-effect"}, op, target.StageOptions{})
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
			met += b.Overlapped / (keys * each)
			if b.Rung == burst.FreezeName {
				frozen++
			}
		}
		for _, f := range race.Rules()[requirement.ID](rule.Case{Requirement: requirement, Contract: cfg.Contract, Operation: op.Name, Histories: hs}) {
			counts[f.Outcome]++
			if f.Outcome != verdict.Pass {
				t.Errorf("%s: %s", f.Outcome, f.Detail)
			}
		}
		if err := tg.Revive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d rounds: %v; %d by freezing, all requests overlapped in %d", *raceRounds, counts, frozen, met)
}

// TestRunSaysWhatItsRacesCanSee: the detection power is in the histories' headers and in the words of the verdicts.
func TestRunSaysWhatItsRacesCanSee(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := suites.Mock([]string{self, asMock}, "")
	if err != nil {
		t.Fatal(err)
	}
	report, err := suites.Execute(t.Context(), suites.Options{Config: cfg, Racy: []string{self, asRacy},
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
