package suites_test

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/scenarios/run"
)

// TestMutantMatrixOnPostgreSQL holds the mutants whose defect is in how they use PostgreSQL to what they must and may fail.
func TestMutantMatrixOnPostgreSQL(t *testing.T) {
	t.Parallel()
	for i, m := range mutants.OnPostgres() {
		if !chosen(i, m.Name) {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			hold(t, m, onPostgres(t, m.Name, run.Selection{Operations: []string{m.Operation}}))
		})
	}
}
