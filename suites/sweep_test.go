package suites_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/store/storetest"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

var sweepRounds = flag.Int("sweep-rounds", 2, "sweeps of a server with two commits, and of the correct one; the bar is 20")

// TestSweepFindsTwoCommits is the bar: a server that commits its effect and at once its record, with nothing in between that
// could be held, is found by a sweep with the default number of kills with probability 0.95 or more, and the correct one is
// never called inconclusive.
func TestSweepFindsTwoCommits(t *testing.T) {
	if testing.Short() {
		t.Skip("counts finds over many sweeps: a short run has the one of TestCorrectMockFailsNothing")
	}
	const twoCommits = "record-right-after-effect"
	for name, mock := range map[string]func(t testing.TB, mutant string) *config.Config{
		"SQLite":     mock,
		"PostgreSQL": onUnlinkedPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			for range *sweepRounds {
				outcomes := swept(t, mock(t, twoCommits))
				if outcomes[verdict.Fail] > 0 {
					found++
				}
				if outcomes := swept(t, mock(t, "")); outcomes[verdict.Pass] == 0 || len(outcomes) > 1 && outcomes[verdict.NotAssessed] == 0 || len(outcomes) > 2 {
					t.Errorf("the correct mock: %v", outcomes)
				}
			}
			t.Logf("two commits were found in %d of %d sweeps", found, *sweepRounds)
			if missed := *sweepRounds - found; missed > max(1, *sweepRounds/20) {
				t.Errorf("two commits were missed by %d of %d sweeps", missed, *sweepRounds)
			}
		})
	}
}

// swept counts the outcomes of a sweep's parts.
func swept(t *testing.T, cfg *config.Config) map[verdict.Outcome]int {
	t.Helper()
	report := finished(t, suites.Options{Config: cfg, Out: t.TempDir(),
		Selection: run.Selection{Requirements: []string{"crash/sweep"}, Operations: []string{"create-ticket"}}})
	outcomes := map[verdict.Outcome]int{}
	for _, v := range report.Verdicts {
		outcomes[v.Verdict]++
		if v.Part == "in-flight" || v.Verdict == verdict.Fail {
			t.Logf("%s %s: %s", v.Verdict, v.Name(), v.Detail)
		}
	}
	return outcomes
}

// onUnlinkedPostgres is the mock on PostgreSQL with a link that nobody can hold.
func onUnlinkedPostgres(t testing.TB, mutant string) *config.Config {
	t.Helper()
	cfg := mockOn(t, storetest.Schema(t), mutant)
	command, upstream := cfg.Target.Lifecycle.Process.Command, cfg.Target.Store.Upstream
	for i := range command {
		command[i] = strings.Replace(command[i], "{store}", upstream, 1)
	}
	cfg.Target.Store = nil
	return cfg
}
