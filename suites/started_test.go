package suites_test

import (
	"os"
	"testing"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/suites"
)

// self starts this test binary as another program: the argument says as which.
func self(t testing.TB, as string) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{program, as}
}

// mock is the built-in mock, or a mutant of it, as a child process of this test binary.
func mock(t testing.TB, mutant string) *config.Config { return mockOn(t, "", mutant) }

// mockOn is mock on a database instead of a SQLite file.
func mockOn(t testing.TB, database, mutant string) *config.Config {
	t.Helper()
	cfg, err := suites.MockOn(database, self(t, asMock), mutant)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// finished is what a run reports that came to its end.
func finished(t testing.TB, o suites.Options) *reports.Report {
	t.Helper()
	report, err := suites.Execute(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if report.Problem != "" {
		t.Fatalf("the run ended early: %s", report.Problem)
	}
	return report
}
