package suites_test

import (
	"os"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/store/storetest"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// TestConformanceOnPostgreSQL runs what rests on the store alone: repetition, concurrency and death.
func TestConformanceOnPostgreSQL(t *testing.T) {
	t.Parallel()
	report := onPostgres(t, "", run.Selection{Packs: []string{"replay", "race", "crash", "failure"}, Operations: []string{"create-ticket"}})
	passed := map[string]int{}
	for _, v := range report.Verdicts {
		switch v.Verdict {
		case verdict.Pass:
			pack, _, _ := strings.Cut(v.ID, "/")
			passed[pack]++
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
			requirement, _, _ := strings.Cut(must, "#")
			report := onPostgres(t, mutant, run.Selection{Requirements: []string{requirement}, Operations: []string{"create-ticket"}})
			if observed, _ := tell(report); !observed[must] {
				t.Errorf("%s is not found on PostgreSQL: %s (seed %d)", mutant, said(report, must), report.Seed)
			}
		})
	}
}

// onPostgres is against with the mock on a schema of its own.
func onPostgres(t *testing.T, mutant string, sel run.Selection) *reports.Report {
	t.Helper()
	location := storetest.Schema(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := suites.MockOn(location, []string{self, asMock}, mutant)
	if err != nil {
		t.Fatal(err)
	}
	report, err := suites.Execute(t.Context(), suites.Options{Config: cfg, Selection: sel, Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if report.Problem != "" {
		t.Fatalf("the run ended early: %s", report.Problem)
	}
	return report
}
