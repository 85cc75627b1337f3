package fuzz

import (
	"testing"

	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestTheCorrectMockHasNothingToFind(t *testing.T) {
	t.Parallel()
	r := search(t, Options{Config: serve(t, "", ticketsYAML), Cases: 400, Seed: 1})
	op := r.Operations[0]
	for _, f := range op.Findings {
		t.Errorf("found %s at %s (%s): %s", f.Rewrite, f.Trial.Site.At, f.From, f.Detail)
	}
	passed := 0
	for _, row := range op.Rows {
		switch row.Verdict {
		case verdict.Pass:
			passed++
		case verdict.NotAssessed:
			t.Logf("%s: %s", row.ID, row.Detail)
		default:
			t.Errorf("%s: %s %s", row.ID, row.Verdict, row.Detail)
		}
	}
	if passed < 80 || op.Pairs < 400 || len(op.Strategies) > 0 {
		t.Errorf("%d rows passed, %d pairs, strategies %v", passed, op.Pairs, op.Strategies)
	}
}

func TestX(t *testing.T) {
	for _, m := range []string{"fingerprint-float64", "fingerprint-top-level", "fingerprint-raw-bytes", "mismatch-replays", "mismatch-overwrites", "mismatch-executes", "fingerprint-by-kind"} {
		r := search(t, Options{Config: serve(t, m, ticketsYAML), Cases: 400, Seed: 1})
		op := r.Operations[0]
		for _, f := range op.Findings {
			pair, _ := f.Trial, 0
			t.Logf("%s: %s %s at %s (%s, %d requests) %v", m, f.Kind, f.Rewrite, f.Trial.Site.At, f.From, f.Requests, pair.Changes)
		}
		for _, s := range op.Strategies {
			t.Log(m, s)
		}
	}
}
