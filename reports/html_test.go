package reports_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func html(t *testing.T, run reports.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := reports.HTML(&b, reports.New(run)); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "<body>")
	return body
}

// TestTheFirstScreenSaysItAll: the result, why, and what to do come before everything else.
func TestTheFirstScreenSaysItAll(t *testing.T) {
	t.Parallel()
	run := sample()
	on := []string{"create-ticket"}
	run.Verdicts = append(run.Verdicts,
		verdict.Verdict{ID: "lost/slow-response", Level: verdict.Must, Operations: on, Verdict: verdict.NotAssessed, Detail: "premise failed: lost/response"},
		verdict.Verdict{ID: "downstream/reconciles", Level: verdict.Must, Operations: on, Verdict: verdict.NotAssessed, Detail: "target.downstream (x.yaml:6)" + catalogue.Unused + "nothing came"})
	first, rest, found := strings.Cut(html(t, run), `class="map"`)
	if !found {
		t.Fatal("there is no overview")
	}
	for _, says := range []string{"tickets is not conformant: 1 failure", "Why", "2 effects for one intent", "What to do", "lost/response</code></a> for 1 more, which build on it",
		"target.downstream (x.yaml:6)</code> for 1 more: nothing came", "target.lifecycle</code> for 1 more", "-r lost/response --operation create-ticket"} {
		if !strings.Contains(first, says) {
			t.Errorf("the first screen does not say %q:\n%s", says, first)
		}
	}
	if strings.Contains(first, "Timeline") || !strings.Contains(rest, "Timeline") {
		t.Error("the timeline is not below the overview")
	}
}

// TestLinksOnThePageLead: each to one place that is there.
func TestLinksOnThePageLead(t *testing.T) {
	t.Parallel()
	body := html(t, sample())
	links := regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(links) < 8 {
		t.Errorf("%d links", len(links))
	}
	for _, l := range links {
		if n := strings.Count(body, `id="`+l[1]+`"`); n != 1 {
			t.Errorf("#%s is in %d places", l[1], n)
		}
	}
}

// TestATileIsTheWorstOfItsRequirement: one a requirement, whatever the number of operations and parts.
func TestATileIsTheWorstOfItsRequirement(t *testing.T) {
	t.Parallel()
	run := sample()
	for _, v := range []verdict.Outcome{verdict.Pass, verdict.Fail, verdict.NotAssessed} {
		run.Verdicts = append(run.Verdicts, verdict.Verdict{ID: "key/in-path", Level: verdict.Must, Operations: []string{"op-" + string(v[0])}, Verdict: v})
	}
	body := html(t, run)
	if n := strings.Count(body, `title="key/in-path:`); n != 1 || !strings.Contains(body, `class="tile fail" href="#key-in-path-op-f" title="key/in-path: fail"`) {
		t.Errorf("key/in-path has %d tiles", n)
	}
}

// TestThePageOfARunThatCouldNotBe: the problem is told once, as why, with the command that runs it again.
func TestThePageOfARunThatCouldNotBe(t *testing.T) {
	t.Parallel()
	run := sample()
	run.Problem, run.Environmental = errors.New("nobody takes connections"), true
	for i := range run.Verdicts {
		run.Verdicts[i].Verdict = verdict.Inconclusive
	}
	body := html(t, run)
	if n := strings.Count(body, "nobody takes connections"); n != 1 {
		t.Errorf("the problem is told %d times", n)
	}
	for _, says := range []string{"<h1>nothing can be said of tickets</h1>", "run it again", "oncespec run --config &#39;my api.yaml&#39;</code>"} {
		if !strings.Contains(body, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	if strings.Contains(body, `class="map"`) || strings.Contains(body, "<article") {
		t.Error("an overview of nothing is shown")
	}
}

// TestThePageOfAConformantTarget says what the passes rest on.
func TestThePageOfAConformantTarget(t *testing.T) {
	t.Parallel()
	run := sample()
	run.Verdicts = run.Verdicts[:1]
	weak := run.Verdicts[0]
	weak.Part, weak.Proof = "value", verdict.Weak
	run.Verdicts = append(run.Verdicts, weak)
	body := html(t, run)
	for _, says := range []string{"✓", "All that was assessed holds: 2 verdicts, 1 with strong proof and 1 with weak", "nothing is left to do"} {
		if !strings.Contains(body, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}
