package reports

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/fuzz"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestFuzzJUnitTellsWrongFromUnknownFromSkipped(t *testing.T) {
	t.Parallel()
	r := &fuzz.Report{Target: "tickets", Seed: 7, Operations: []*fuzz.Operation{{
		Name: "create", Pairs: 40,
		Rows: []fuzz.Row{
			{ID: "space/pretty", Verdict: verdict.Pass}, {ID: "number/beyond-2^53", Verdict: verdict.Fail, Detail: "false replay \x1b[31m"},
			{ID: "key/quoted", Verdict: verdict.Warn, Detail: "practice"}, {ID: "order/top", Verdict: verdict.Inconclusive}, {ID: "form/value", Verdict: verdict.NotAssessed},
		},
		Findings: []*fuzz.Finding{{Operation: "create", Rewrite: "number/beyond-2^53", Kind: "false replay", History: &history.History{}}},
		Corpus:   []fuzz.Replayed{{File: "pairs/a.json", Verdict: verdict.Pass, Detail: "replayed"}, {File: "pairs/b.json", Verdict: verdict.Fail}},
	}, {Name: "close", Premise: "executed again", Duplicates: true}}, Problem: "the target went away"}
	var text strings.Builder
	if err := FuzzJUnit(&text, r, []string{"oncespec", "fuzz"}); err != nil {
		t.Fatal(err)
	}
	var read suites
	if err := xml.Unmarshal([]byte(text.String()), &read); err != nil {
		t.Fatalf("%v in %s", err, text.String())
	}
	if read.Tests != 10 || read.Failures != 2 || read.Errors != 2 || read.Skipped != 1 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped:\n%s", read.Tests, read.Failures, read.Errors, read.Skipped, text.String())
	}
	if f := read.Suites[0].Cases[1].Failure; f == nil || !strings.Contains(f.Text, "again: oncespec fuzz") {
		t.Errorf("the failure does not show its pair: %+v", f)
	}
}
