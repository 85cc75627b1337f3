package fuzz

import (
	"path/filepath"
	"testing"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestTheCorrectMockHasNothingToFind(t *testing.T) {
	t.Parallel()
	for seed := range 3 {
		r := search(t, Options{Config: serve(t, "", ticketsYAML), Cases: 300, Seed: uint64(seed + 1)})
		op := r.Operations[0]
		for _, f := range op.Findings {
			t.Errorf("seed %d: found %s at %s (%s): %s", seed, f.Rewrite, f.Trial.Site.At, f.From, f.Detail)
		}
		passed := 0
		for _, row := range op.Rows {
			switch row.Verdict {
			case verdict.Pass:
				passed++
			case verdict.NotAssessed:
			default:
				t.Errorf("%s: %s %s", row.ID, row.Verdict, row.Detail)
			}
		}
		if passed < 80 || op.Pairs < 300 || len(op.Strategies) > 0 || op.Stopped != "" {
			t.Errorf("%d rows passed, %d pairs, strategies %v, stopped %q", passed, op.Pairs, op.Strategies, op.Stopped)
		}
	}
}

// A screening costs one execution: what the search makes under keys of its own are controls, confirmations and bodies.
func TestAScreeningIsCheap(t *testing.T) {
	t.Parallel()
	op := search(t, Options{Config: serve(t, "", ticketsYAML), Seed: 1, Cases: 500, noSweep: true}).Operations[0]
	if op.Executions > op.Pairs/5 || op.Requests > op.Pairs+op.Pairs/3 {
		t.Errorf("%d pairs cost %d requests and %d executions", op.Pairs, op.Requests, op.Executions)
	}
}

func TestARefusalThatTakesTheOriginalWithItIsFound(t *testing.T) {
	t.Parallel()
	cfg := serve(t, "mismatch-overwrites", ticketsYAML)
	op := search(t, Options{Config: cfg, Seed: 1, Cases: 100}).Operations[0]
	if len(op.Findings) != 1 || op.Findings[0].Kind != fingerprint.Overwritten || op.Stopped == "" {
		t.Fatalf("found %+v, stopped %q", op.Findings, op.Stopped)
	}
	dir := filepath.Join(t.TempDir(), "pairs")
	if err := WriteCorpus(dir, &Report{Operations: []*Operation{op}}); err != nil {
		t.Fatal(err)
	}
	for mutant, want := range map[string]verdict.Outcome{"mismatch-overwrites": verdict.Fail, "": verdict.Pass} {
		again := search(t, Options{Config: serve(t, mutant, ticketsYAML), Seed: 2, Corpus: dir, noSweep: true, noSearch: true}).Operations[0]
		if len(again.Corpus) != 1 || again.Corpus[0].Verdict != want {
			t.Errorf("mutant %q: the case is tried again with %+v, want %s", mutant, again.Corpus, want)
		}
	}
}

func TestAChangedRequestThatExecutesIsADoubleExecution(t *testing.T) {
	t.Parallel()
	op := search(t, Options{Config: serve(t, "mismatch-executes", ticketsYAML), Seed: 1, noSearch: true}).Operations[0]
	if len(op.Findings) < 30 || len(op.Strategies) > 0 {
		t.Errorf("%d findings, strategies %v", len(op.Findings), op.Strategies)
	}
	for _, f := range op.Findings {
		if f.Kind != fingerprint.DoubleExecution {
			t.Errorf("%s: %s", f.Rewrite, f.Kind)
		}
	}
}

// A defect that the sample does not show needs another body: here, another priority.
func TestADefectOfOtherBodiesIsFoundByTheRandomSearch(t *testing.T) {
	t.Parallel()
	for seed := range 3 {
		op := search(t, Options{Config: serve(t, "fingerprint-by-kind", ticketsYAML), Seed: uint64(seed + 1), Cases: 300, first: true}).Operations[0]
		if len(op.Findings) == 0 {
			t.Errorf("seed %d: nothing found", seed)
			continue
		}
		f := op.Findings[0]
		if f.From != "search" || len(f.Trial.Changes) != 1 || f.Trial.Changes[0].At != "/priority" {
			t.Errorf("seed %d: %s at %s from the %s with %v; want the priority alone to be changed", seed, f.Rewrite, f.Trial.Site.At, f.From, f.Trial.Changes)
		}
	}
}

func TestWhereNoRepetitionIsKnownNothingIsCompared(t *testing.T) {
	t.Parallel()
	for mutant, duplicates := range map[string]bool{"no-idempotency": true, "fingerprint-lost-on-completion": false} {
		op := search(t, Options{Config: serve(t, mutant, ticketsYAML), Seed: 1, Cases: 10}).Operations[0]
		if op.Premise == "" || op.Duplicates != duplicates || op.Pairs != 0 || len(op.Findings) != 0 {
			t.Errorf("%s: premise %q, duplicates %v, %d pairs, %d findings", mutant, op.Premise, op.Duplicates, op.Pairs, len(op.Findings))
		}
	}
}
