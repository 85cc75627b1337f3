package reports_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/fuzz"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// TestAnIncompleteRunNamesWhatItProved: what broke a run off decides its exit code; it hides no failure that was proven before, in
// no format.
func TestAnIncompleteRunNamesWhatItProved(t *testing.T) {
	t.Parallel()
	formats := map[string]func(io.Writer, *reports.Report) error{
		"json": reports.JSON, "junit": reports.JUnit, "markdown": reports.Markdown, "html": reports.HTML,
		"table": func(w io.Writer, r *reports.Report) error { return reports.Table(w, r, "", false) },
	}
	one := sample()
	one.Problem, one.Environmental = errors.New("nobody answers"), true
	two := one
	two.Verdicts = append(two.Verdicts[:len(two.Verdicts):len(two.Verdicts)], verdict.Verdict{ID: "lost/partial-response", Level: verdict.Must,
		Operations: []string{"create-ticket"}, Verdict: verdict.Fail, Proof: verdict.Strong, Detail: "3 effects"})
	ours := one
	ours.Environmental = false
	none := one
	none.Verdicts = one.Verdicts[:1]
	for name, c := range map[string]struct {
		run      reports.Run
		code     int
		sentence string
	}{
		"one":          {one, 3, "the run against tickets is incomplete: nobody answers; 1 failure was proven before that (3 of 5 requirements assessed)"},
		"two":          {two, 3, "the run against tickets is incomplete: nobody answers; 2 failures were proven before that (4 of 6 requirements assessed)"},
		"none":         {none, 3, "nothing can be said of tickets: nobody answers"},
		"we broke off": {ours, 5, "oncespec itself failed: nobody answers; 1 failure was proven before that"},
	} {
		report := reports.New(c.run)
		if got := report.Sentence(); got != c.sentence || report.Result.ExitCode() != c.code {
			t.Errorf("%s: %q with %d, want %q with %d", name, got, report.Result.ExitCode(), c.sentence, c.code)
		}
		for format, render := range formats {
			var b bytes.Buffer
			if err := render(&b, report); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			for _, v := range c.run.Verdicts {
				if v.Verdict == verdict.Fail && !strings.Contains(text, v.ID) {
					t.Errorf("%s: %s does not name %s:\n%s", name, format, v.ID, text)
				}
			}
			said := "proven before that"
			if format != "json" && strings.Contains(text, said) != strings.Contains(c.sentence, said) { // there they are counted in the summary
				t.Errorf("%s: %s says %q, or does not:\n%s", name, format, said, text)
			}
			if format == "table" && !strings.HasSuffix(text, c.sentence+"\n") {
				t.Errorf("%s: the last line is not %q:\n%s", name, c.sentence, text)
			}
			if format == "table" && strings.Contains(text, "lost/reset ") {
				t.Errorf("%s: what is left open is explained by the problem already:\n%s", name, text)
			}
		}
	}
}

// TestAnIncompleteSearchNamesWhatItFound, likewise.
func TestAnIncompleteSearchNamesWhatItFound(t *testing.T) {
	t.Parallel()
	found := &fuzz.Report{Target: "tickets", Problem: "nobody answers", Environmental: true,
		Operations: []*fuzz.Operation{{Name: "create", Pairs: 5, Findings: []*fuzz.Finding{{Operation: "create", Rewrite: "number/exponent", History: &history.History{}}, {Operation: "create", Rewrite: "text/case", Warning: true, History: &history.History{}}}}}}
	found.Result = string(reports.FuzzResult(found, false))
	if found.Result != string(reports.Environment) {
		t.Fatalf("result: %s", found.Result)
	}
	var b bytes.Buffer
	if err := reports.FuzzTable(&b, found, nil, "", false); err != nil {
		t.Fatal(err)
	}
	if want := "the search against tickets is incomplete: nobody answers; 1 confused rewrite was proven before that (5 pairs tried, 1 warning)\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("the last line is not %q:\n%s", want, b.String())
	}
}
