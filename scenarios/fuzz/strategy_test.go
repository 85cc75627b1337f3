package fuzz

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// defects are mutants with a strategy of their own, and what the diagnosis has to call it.
var defects = []struct{ mutant, strategy string }{
	{"mismatch-replays", "key only"},
	{"fingerprint-raw-bytes", "raw bytes"},
	{"fingerprint-stringify", "JSON.stringify"},
	{"fingerprint-replacer-array", "sorted replacer array"},
	{"fingerprint-sorts-recursively", "recursive sort"},
	{"fingerprint-folds-case", "case folding"},
	{"fingerprint-float64", "float64"},
	{"fingerprint-struct", "struct decoding"},
	{"fingerprint-jcs", "JCS (RFC 8785)"},
	{"fingerprint-without-query", "query ignored"},
	{"fingerprint-null-is-absent", "null is absent"},
	{"fingerprint-drops-empty", "empty is absent"},
	{"fingerprint-sorts-arrays", "arrays as sets"},
	{"fingerprint-forgets-types", "types forgotten"},
	{"fingerprint-trims-text", "white space trimmed"},
}

// TestEachStrategyHasItsFailingRows holds each strategy to the exact set of rewrites that it gets wrong, and to its name.
func TestEachStrategyHasItsFailingRows(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many sweeps of one kind: TestTheCorrectMockHasNothingToFind makes three")
	}
	const golden = "testdata/strategies.txt"
	lines := make([]string, len(defects))
	t.Run("all", func(t *testing.T) {
		for i, d := range defects {
			t.Run(d.mutant, func(t *testing.T) {
				t.Parallel()
				op := search(t, Options{Config: serve(t, d.mutant, ticketsYAML), Seed: 1, noSearch: true}).Operations[0]
				var failed, named []string
				for _, f := range op.Findings {
					failed = append(failed, fmt.Sprintf("%s (%s)", f.Rewrite, f.Kind))
				}
				slices.Sort(failed)
				for _, s := range op.Strategies {
					named = append(named, s.Name)
					if s.Name == d.strategy && (s.Explains == 0 || len(s.Evidence) != s.Explains || s.Does == "") {
						t.Errorf("%s without evidence: %+v", s.Name, s)
					}
				}
				if len(named) == 0 || named[0] != d.strategy && !slices.Contains(named, d.strategy) {
					t.Errorf("named %v, want %s", named, d.strategy)
				}
				lines[i] = fmt.Sprintf("%s: named %s\n\t%s\n", d.mutant, strings.Join(named, " or "), strings.Join(failed, "\n\t"))
			})
		}
	})
	got := strings.Join(lines, "\n")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the failing rows differ from %s (go test -update writes it anew):\n%s", golden, got)
	}
}

func TestNothingWrongNamesNothing(t *testing.T) {
	t.Parallel()
	if got := diagnose(nil); got != nil {
		t.Errorf("named %v", got)
	}
}
