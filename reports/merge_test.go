package reports_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// TestMergedSaysWhatBecameOfTheShards: a proven failure stands, else the worst shard counts, and what is missing is never forgiven.
func TestMergedSaysWhatBecameOfTheShards(t *testing.T) {
	t.Parallel()
	shard := func(name string, r reports.Result, problem string) reports.ShardResult {
		return reports.ShardResult{Shard: name, Result: r, Problem: problem, Done: 3, Of: 4}
	}
	well := shard("1/2", reports.Conformant, "")
	for name, c := range map[string]struct {
		parts []reports.ShardResult
		fails bool
		want  reports.Result
		says  []string
	}{
		"all well":         {[]reports.ShardResult{well, shard("2/2", reports.Conformant, "")}, false, reports.Conformant, []string{"tickets is conformant"}},
		"one missing":      {[]reports.ShardResult{well, reports.Missing("2/2")}, false, reports.Undecided, []string{"is incomplete: shard 2/2 is missing"}},
		"one down":         {[]reports.ShardResult{well, shard("2/2", reports.Environment, "nobody answers")}, false, reports.Environment, []string{"is incomplete: shard 2/2 ended early", "shard 2/2 ended early (environment), after 3 of 4 scenarios: nobody answers"}},
		"one died":         {[]reports.ShardResult{well, shard("2/2", reports.Broken, "it died")}, false, reports.Broken, []string{"shard 2/2 ended early (error), after 3 of 4 scenarios: it died"}},
		"one interrupted":  {[]reports.ShardResult{well, shard("2/2", reports.Interrupted, "")}, false, reports.Interrupted, []string{"shard 1/2 had come to its end", "shard 2/2 was interrupted after 3 of 4 scenarios", "interrupted; what was seen of tickets until then: 0 failures"}},
		"a failure stands": {[]reports.ShardResult{well, reports.Missing("2/2")}, true, reports.NotConformant, []string{"tickets is not conformant: 1 failure"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := sample()
			run.AllowInconclusive = true
			run.Verdicts = run.Verdicts[:1]
			if c.fails {
				run.Verdicts = sample().Verdicts[:3]
			}
			r := reports.Merged(run, c.parts)
			if r.Result != c.want {
				t.Errorf("%s, want %s", r.Result, c.want)
			}
			var b bytes.Buffer
			if err := reports.Table(&b, r, "", false); err != nil {
				t.Fatal(err)
			}
			for _, says := range c.says {
				if !strings.Contains(b.String(), says) {
					t.Errorf("it does not say %q:\n%s", says, b.String())
				}
			}
		})
	}
}

// TestWhatWasNotRunIsToldOnce: by reason and pack, whatever the format; what did run and is open is told by itself.
func TestWhatWasNotRunIsToldOnce(t *testing.T) {
	t.Parallel()
	run := sample()
	for _, id := range []string{"key/required", "key/malformed", "lost/storm"} {
		run.Verdicts = append(run.Verdicts, verdict.Verdict{ID: id, Level: verdict.Must, Operations: []string{"create-ticket"}, Verdict: verdict.Inconclusive, Proof: verdict.None,
			Blame: verdict.Environment, Detail: catalogue.NotRun + ": the run was interrupted"})
	}
	run.Verdicts = append(run.Verdicts, verdict.Verdict{ID: "race/answers", Level: verdict.Must, Operations: []string{"create-ticket"}, Verdict: verdict.Inconclusive, Proof: verdict.None,
		Blame: verdict.Environment, Detail: catalogue.BrokenOff + ": the run was interrupted (and in 3 more)"})
	r := reports.New(run)
	r.Complete = [][]string{{"oncespec", "run", "-r", "key/*"}}
	var table, page, text bytes.Buffer
	for _, err := range []error{reports.Table(&table, r, "", false), reports.HTML(&page, r), reports.Markdown(&text, r)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	first, _, _ := strings.Cut(page.String(), `class="map"`)
	for name, got := range map[string]string{"table": table.String(), "page": first, "markdown": text.String()} {
		for _, says := range []string{"3 verdicts on what was not run, since the run was interrupted (key 2, lost 1)", "1 verdict on what was broken off, since the run was interrupted (race 1)", "oncespec run -r "} {
			if strings.Count(got, says) != 1 {
				t.Errorf("%s says %q %d times:\n%s", name, says, strings.Count(got, says), got)
			}
		}
		if strings.Contains(got, "key/required") || !strings.Contains(got, "lost/reset") {
			t.Errorf("%s names what was not run one by one, or not what was run:\n%s", name, got)
		}
	}
	if strings.Contains(page.String(), `<article class="card" id="key-required`) {
		t.Error("what was not run has a card of its own")
	}
}
