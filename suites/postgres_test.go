package suites_test

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// TestConformanceOnPostgreSQL runs what rests on the store alone: repetition, concurrency and death.
func TestConformanceOnPostgreSQL(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	report := onPostgresIn(t, out, "", run.Selection{Packs: []string{"replay", "race", "crash", "failure"}, Operations: []string{"create-ticket"}})
	passed := map[string]int{}
	for _, v := range report.Verdicts {
		switch v.Verdict {
		case verdict.Pass:
			pack, _, _ := strings.Cut(v.ID, "/")
			passed[pack]++
			if v.ID == "crash/store-link" && v.Proof != verdict.Strong {
				t.Errorf("%s: no cut came between an effect and the database's answer: %s (seed %d)", v.Name(), v.Detail, report.Seed)
			}
		case verdict.NotAssessed: // what only another operation can show
		default:
			t.Errorf("%s %s: %s (seed %d)", v.Verdict, v.Name(), v.Detail, report.Seed)
		}
	}
	assessed := map[string]bool{}
	for _, v := range report.Verdicts {
		assessed[v.ID] = assessed[v.ID] || v.Assessed()
	}
	for _, id := range behindStoreLink() {
		if !assessed[id] {
			t.Errorf("%s was not assessed: %s", id, said(report, id))
		}
	}
	for _, pack := range []string{"replay", "race", "crash", "failure"} {
		if passed[pack] < 5 {
			t.Errorf("%d verdicts of pack %s passed, want 5 or more", passed[pack], pack)
		}
	}
	holdsWithoutProof(t, out, func(fault string) bool { return !strings.HasPrefix(fault, "store-") })
}

// A database that keeps its promises does not mend a claim that is no claim; and the link to it shows what else does not. Mutants
// that only such a database shows are in the matrix.
func TestMutantsOnPostgreSQL(t *testing.T) {
	t.Parallel()
	for mutant, must := range map[string]string{
		"check-then-insert":        "race/one-effect",
		"effect-apart-from-record": "crash/sweep#round-trip",
		"doubtful-commit-repeated": "crash/store-link",
		"store-down-executes":      "failure/store-down#cut",
	} {
		t.Run(mutant, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && mutant != "store-down-executes" {
				t.Skip("one is enough for a short run")
			}
			requirement, _, _ := strings.Cut(must, "#")
			report := onPostgres(t, mutant, run.Selection{Requirements: []string{requirement}, Operations: []string{"create-ticket"}})
			if observed, _ := tell(report); !observed[must] {
				t.Fatalf("%s is not found on PostgreSQL: %s (seed %d)", mutant, said(report, must), report.Seed)
			}
		})
	}
}

// TestDatabaseBehindSomebodyElsesToxiproxy: its stock toxics take the database away, and the report says that no more is known
// than what that server says. What needs a moment of one's choice is not assessed.
func TestDatabaseBehindSomebodyElsesToxiproxy(t *testing.T) {
	t.Parallel()
	for mutant, want := range map[string]verdict.Outcome{"": verdict.Pass, "store-down-executes": verdict.Fail} {
		t.Run(mutant, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && mutant != "" {
				t.Skip("one is enough for a short run")
			}
			toxiproxy := linktest.StartProcess(t, self(t, asToxiproxy))
			report := onPostgres(t, mutant, run.Selection{Requirements: []string{"failure/store-down", "crash/store-link", "race/one-effect"}, Operations: []string{"create-ticket"}},
				func(c *config.Config) { c.Toxiproxy = &config.Toxiproxy{URL: toxiproxy.URL} })
			for _, v := range report.Verdicts {
				switch v.ID {
				case "failure/store-down":
					if v.Part == "cut" && v.Verdict != want || mutant == "" && (v.Verdict != want || v.Proof != verdict.Weak || !strings.Contains(v.Detail, "seen through the Toxiproxy")) {
						t.Errorf("%s: %s, %s: %s", v.Name(), v.Verdict, v.Proof, v.Detail)
					}
				case "crash/store-link":
					if v.Verdict != verdict.NotAssessed || !strings.Contains(v.Detail, "cannot hold it") {
						t.Errorf("%s: %s: %s", v.Name(), v.Verdict, v.Detail)
					}
				case "race/one-effect":
					if mutant == "" && (v.Verdict != verdict.Pass || !strings.Contains(v.Detail, "latency on the store link")) {
						t.Errorf("%s: %s: %s", v.Name(), v.Verdict, v.Detail)
					}
				}
			}
			if n := toxiproxy.Proxies(t); n != 0 {
				t.Errorf("%d proxies are left", n)
			}
		})
	}
}

// onPostgres is against with the mock on a schema of its own.
func onPostgres(t *testing.T, mutant string, sel run.Selection, changes ...func(*config.Config)) *reports.Report {
	t.Helper()
	return onPostgresIn(t, t.TempDir(), mutant, sel, changes...)
}

func onPostgresIn(t *testing.T, out, mutant string, sel run.Selection, changes ...func(*config.Config)) *reports.Report {
	t.Helper()
	cfg := mockOn(t, storetest.Schema(t), mutant)
	for _, change := range changes {
		change(cfg)
	}
	return finished(t, suites.Options{Config: cfg, Selection: sel, Out: out})
}
