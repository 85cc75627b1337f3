package reports_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hostile is what a target may say; no format may let it become markup or a cursor movement.
const hostile = "</pre><script>alert(1)</script> `x` | \x1b[31m \x00 ]]>"

func sample() reports.Run {
	h := &history.History{
		Schema: history.Schema, ID: "lost-response.create-ticket", Scenario: "lost/response", Operations: []string{"create-ticket"}, Seed: 7,
		Intents: []history.Intent{{ID: "i1", Operation: "create-ticket", Key: "k-1"}},
		Events: []history.Event{
			{Seq: 1, At: 1000, Attempt: &history.Attempt{ID: 1, Intent: "i1", Label: "first", Fault: "drop the response", Began: 0, Ended: 1000,
				Outcome: history.Lost, Reason: "connection closed", Request: history.Request{Method: "POST", URL: "http://127.0.0.1:1/v1/tickets?a=b",
					Header: [][2]string{{"Host", "127.0.0.1:1"}, {"Idempotency-Key", `"k-1"`}, {"Authorization", "[redacted]"}},
					Body:   history.Body{Text: `{"title":"it's"}`, Length: 16}},
				Link: history.Link{Reached: true, RequestBytes: 180, RequestWhole: true, ResponseBytes: 220, Cut: true}}},
			{Seq: 2, At: 2500, Attempt: &history.Attempt{ID: 2, Intent: "i1", Label: "retry", Began: 1500, Ended: 2500, Outcome: history.Answered,
				Request: history.Request{Method: "POST", URL: "http://127.0.0.1:1/v1/tickets"},
				Answer:  &history.Answer{Status: 201, Header: map[string][]string{"Location": {"/v1/tickets/2"}}, Body: history.Body{Text: hostile, Length: 40}}}},
			{Seq: 3, At: 2600, Observation: &history.Observation{Intent: "i1", Probe: "http", Kind: history.Resource, Moment: "after", Count: 2, IDs: []string{"1", "2"}}},
			{Seq: 4, At: 2700, Fault: &history.Fault{Kind: "kill", Landed: true, Phase: history.AfterEffect, Evidence: []string{"the ledger shows a booking"}}},
		},
	}
	on := []string{"create-ticket"}
	return reports.Run{
		Version: "test", Target: reports.Target{Name: "tickets", URL: "http://127.0.0.1:1"}, Contract: contract.Contract{Profile: "ietf-07"}, Seed: 7,
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Took: 1500 * time.Millisecond, Rerun: []string{"oncespec", "run", "--config", "my api.yaml"},
		Histories: []*history.History{h},
		Verdicts: []verdict.Verdict{
			{ID: "replay/one-effect", Part: "resource", Level: verdict.Must, Operations: on, Verdict: verdict.Pass, Proof: verdict.Strong, Detail: "1 effect"},
			{ID: "replay/same-headers", Level: verdict.Should, Operations: on, Verdict: verdict.Warn, Proof: verdict.Strong, Blame: verdict.Target, Detail: "Location is gone"},
			{ID: "lost/response", Level: verdict.Must, Operations: on, Verdict: verdict.Fail, Proof: verdict.Strong, Blame: verdict.Target,
				Detail: "2 effects for one intent; it said " + hostile, Scenario: "lost/response", Histories: []string{h.ID}},
			{ID: "lost/reset", Level: verdict.Must, Operations: on, Verdict: verdict.Inconclusive, Proof: verdict.None, Blame: verdict.Environment, Detail: "no reset was seen"},
			{ID: "crash/durable", Level: verdict.Must, Operations: on, Verdict: verdict.NotAssessed, Proof: verdict.None, Detail: "needs lifecycle: add target.lifecycle"},
		},
	}
}

func TestEveryFormatMatchesItsGoldenFile(t *testing.T) {
	t.Parallel()
	report := reports.New(sample())
	formats := map[string]func(io.Writer, *reports.Report) error{
		"report.json": reports.JSON, "report.xml": reports.JUnit, "report.md": reports.Markdown, "report.html": reports.HTML,
		"report.txt": func(w io.Writer, r *reports.Report) error { return reports.Table(w, r, "out", false) },
	}
	for name, render := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := render(&b, report); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
		})
	}
}

func TestJSONKeepsItsSchema(t *testing.T) {
	t.Parallel()
	r := &jsonschema.Reflector{DoNotReference: true}
	generated, err := json.MarshalIndent(r.Reflect(&reports.Report{}), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	generated = append(generated, '\n')
	if *update {
		if err := os.WriteFile("report.schema.json", generated, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !*update {
		if diff := cmp.Diff(string(reports.JSONSchema()), string(generated)); diff != "" {
			t.Fatalf("report.schema.json is not that of the Go types; run go test ./reports -update:\n%s", diff)
		}
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(generated))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := reports.JSON(&b, reports.New(sample())); err != nil {
		t.Fatal(err)
	}
	value, err := validator.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(value); err != nil {
		t.Fatalf("a report breaks its own schema: %v", err)
	}
}

func TestJUnitHasRealElements(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := reports.JUnit(&b, reports.New(sample())); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("not XML: %v", err)
	}
	if doc.Tests != 5 || doc.Failures != 1 || doc.Errors != 1 || doc.Skipped != 1 || len(doc.Cases) != 5 {
		t.Fatalf("counts are off: %+v", doc)
	}
	var f, e, s int
	for _, c := range doc.Cases {
		if c.Failure != nil {
			f++
		}
		if c.Error != nil {
			e++
		}
		if c.Skipped != nil {
			s++
		}
	}
	if f != 1 || e != 1 || s != 1 {
		t.Fatalf("%d <failure>, %d <error>, %d <skipped>: want one each", f, e, s)
	}
}

func TestHostileWordsStayWords(t *testing.T) {
	t.Parallel()
	report := reports.New(sample())
	var html, table bytes.Buffer
	if err := reports.HTML(&html, report); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(html.String(), "<script>alert") {
		t.Error("the page holds the target's script")
	}
	for _, outside := range []string{"http://fonts", "https://cdn", "<link ", "src="} {
		if strings.Contains(html.String(), outside) {
			t.Errorf("the page is not offline: it holds %q", outside)
		}
	}
	if err := reports.Table(&table, report, "", false); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(table.String(), "\x1b\x00") {
		t.Error("the table lets a target move the cursor")
	}
}

func TestResultOutranks(t *testing.T) {
	t.Parallel()
	with := func(o ...verdict.Outcome) (vs []verdict.Verdict) {
		for _, o := range o {
			vs = append(vs, verdict.Verdict{ID: "replay/one-effect", Verdict: o, Operations: []string{"a"}})
		}
		return vs
	}
	for name, c := range map[string]struct {
		run  reports.Run
		want reports.Result
		code int
	}{
		"all pass":                      {reports.Run{Verdicts: with(verdict.Pass)}, reports.Conformant, 0},
		"warnings conform":              {reports.Run{Verdicts: with(verdict.Pass, verdict.Warn)}, reports.Conformant, 0},
		"fail outranks inconclusive":    {reports.Run{Verdicts: with(verdict.Inconclusive, verdict.Fail)}, reports.NotConformant, 1},
		"fail outranks our own error":   {reports.Run{Verdicts: with(verdict.Error, verdict.Fail)}, reports.NotConformant, 1},
		"inconclusive":                  {reports.Run{Verdicts: with(verdict.Pass, verdict.Inconclusive)}, reports.Undecided, 2},
		"inconclusive may be allowed":   {reports.Run{Verdicts: with(verdict.Pass, verdict.Inconclusive), AllowInconclusive: true}, reports.Conformant, 0},
		"nothing assessed is no pass":   {reports.Run{Verdicts: with(verdict.NotAssessed)}, reports.Undecided, 2},
		"the environment":               {reports.Run{Problem: errors.New("down"), Environmental: true}, reports.Environment, 3},
		"ours":                          {reports.Run{Problem: errors.New("oops")}, reports.Broken, 5},
		"our error":                     {reports.Run{Verdicts: with(verdict.Pass, verdict.Error)}, reports.Broken, 5},
		"interrupted outranks the rest": {reports.Run{Verdicts: with(verdict.Fail), Interrupted: true}, reports.Interrupted, 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := reports.New(c.run).Result
			if got != c.want || got.ExitCode() != c.code {
				t.Errorf("%s with code %d, want %s with code %d", got, got.ExitCode(), c.want, c.code)
			}
		})
	}
}

func TestUnlockNamesTheOperations(t *testing.T) {
	t.Parallel()
	lacks := func(id, need, operation string) verdict.Verdict {
		return verdict.Verdict{ID: id, Operations: []string{operation}, Verdict: verdict.NotAssessed, Detail: "needs " + need + ": add operations." + operation + "." + need}
	}
	got := reports.New(reports.Run{Verdicts: []verdict.Verdict{
		lacks("status/by-key", "status", "create"), lacks("status/by-key", "status", "close"), lacks("status/final", "status", "close"), lacks("replay/after-change", "alter", "create"),
	}}).Unlock
	want := []reports.Unlock{
		{Add: "operations.{create,close}.status", Requirements: []string{"status/by-key", "status/final"}},
		{Add: "operations.create.alter", Requirements: []string{"replay/after-change"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnlockSaysWhatToAdd(t *testing.T) {
	t.Parallel()
	want := []reports.Unlock{{Add: "target.lifecycle", Requirements: []string{"crash/durable"}}}
	if diff := cmp.Diff(want, reports.New(sample()).Unlock); diff != "" {
		t.Error(diff)
	}
}

func TestWriteLeavesNoHalfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := reports.Write(dir, reports.New(sample())); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 4 {
		t.Errorf("%d files, want the four formats: %v", len(files), files)
	}
	if err := reports.Write(filepath.Join(dir, "absent"), reports.New(sample())); err == nil {
		t.Error("an absent folder must be an error")
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs from its golden file (go test ./reports -update rewrites it):\n%s", name, diff)
	}
}

// TestTheTableSaysWhyTheRestIsMissing: by name what failed and others build on, what to add, and neither where nothing was said.
func TestTheTableSaysWhyTheRestIsMissing(t *testing.T) {
	t.Parallel()
	run := sample()
	on := []string{"create-ticket"}
	for _, id := range []string{"lost/partial-response", "lost/slow-response"} {
		run.Verdicts = append(run.Verdicts, verdict.Verdict{ID: id, Level: verdict.Must, Operations: on, Verdict: verdict.NotAssessed, Proof: verdict.None,
			Detail: "premise failed: lost/response"})
	}
	show := func() string {
		var b bytes.Buffer
		if err := reports.Table(&b, reports.New(run), "", false); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const mend, add = "mend lost/response for 2 more, which build on it\n", "add target.lifecycle for 1 more\n"
	if text := show(); !strings.Contains(text, mend+add) {
		t.Errorf("expected %q in:\n%s", mend+add, text)
	}
	run.Verdicts = append(run.Verdicts, verdict.Verdict{ID: "fingerprint/property", Level: verdict.Must, Operations: on, Verdict: verdict.Pass, Proof: verdict.Strong,
		Detail: "33 random pairs, no counterexample; " + catalogue.NotVaried + "/to, ?q"})
	if text, want := show(), catalogue.NotVaried+"create-ticket /to, ?q\n"; !strings.Contains(text, want) {
		t.Errorf("expected %q in:\n%s", want, text)
	}
	run.Problem, run.Environmental = errors.New("nobody answers"), true
	if text := show(); strings.Contains(text, "add ") {
		t.Errorf("where nothing can be said, nothing needs to be added:\n%s", text)
	}
}

// TestWhatRacesCanSee: the report names each rung once.
func TestWhatRacesCanSee(t *testing.T) {
	t.Parallel()
	power := func(rung string) *history.Power { return &history.Power{Rung: rung, Keys: 10, Requests: 20, Cores: 2} }
	r := reports.New(reports.Run{Histories: []*history.History{{}, {Power: power("freeze")}, {Power: power("freeze")}, {Power: power("barrier")}}})
	if len(r.Races) != 2 || r.Races[0].Rung != "freeze" || r.Races[1].Rung != "barrier" {
		t.Errorf("races: %+v", r.Races)
	}
}

// TestPlaysAreTold: each by itself, and how many came to what.
func TestPlaysAreTold(t *testing.T) {
	t.Parallel()
	run := sample()
	run.Plays = []reports.Play{{Verdict: verdict.Pass, History: "a"}, {Verdict: verdict.Fail, Detail: "i6 is stuck " + hostile, History: "b"}, {Verdict: verdict.Pass, History: "c"}}
	for name, render := range map[string]func(io.Writer, *reports.Report) error{
		"text": func(w io.Writer, r *reports.Report) error { return reports.Table(w, r, "", false) }, "markdown": reports.Markdown, "html": reports.HTML,
	} {
		var b bytes.Buffer
		if err := render(&b, reports.New(run)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "played 3 times: 1 fail, 2 pass") || !strings.Contains(b.String(), "i6 is stuck") {
			t.Errorf("%s does not tell the plays:\n%s", name, b.String())
		}
	}
}

// TestAHundredPartsAreToldInFewLines: some of them whole, all by name.
func TestAHundredPartsAreToldInFewLines(t *testing.T) {
	t.Parallel()
	run := sample()
	run.Verdicts = nil
	for _, on := range []string{"create", "close"} {
		for _, part := range []string{"a/1", "a/2", "a/3", "a/4", "a/5"} {
			run.Verdicts = append(run.Verdicts, verdict.Verdict{ID: "fingerprint/same-meaning", Part: part, Level: verdict.Must, Operations: []string{on}, Verdict: verdict.Fail, Detail: "double execution of " + part})
		}
	}
	run.Verdicts = append(run.Verdicts, verdict.Verdict{ID: "fingerprint/same-meaning", Part: "a/6", Level: verdict.Should, Operations: []string{"close"}, Verdict: verdict.Warn, Detail: "refused"})
	var b bytes.Buffer
	if err := reports.Table(&b, reports.New(run), "", false); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{
		"fail fingerprint/same-meaning#a/3 on create: double execution of a/3\nfail fingerprint/same-meaning on create: so do 2 more: a/4, a/5\nfail fingerprint/same-meaning#a/1 on close: ",
		"fail fingerprint/same-meaning on close: so do 2 more: a/4, a/5\nwarn fingerprint/same-meaning#a/6 on close: refused\n",
	} {
		if !strings.Contains(b.String(), says) {
			t.Errorf("expected %q in:\n%s", says, b.String())
		}
	}
}
