package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

func parse(t *testing.T, file string) *config.Config {
	t.Helper()
	c, err := config.Parse("x.yaml", []byte(file), environment)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheFullExample(t *testing.T) {
	t.Setenv("ACME_TOKEN", "acme-1")
	t.Setenv("ACME_TOKEN_2", "acme-2")
	t.Setenv("GLOBEX_TOKEN", "globex-1")
	c, err := config.Load("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if c.Path != "testdata/full.yaml" || !slices.Equal(c.Order, []string{"create-ticket", "close-ticket"}) || !slices.Equal(c.Target.Order, []string{"acme", "globex"}) {
		t.Errorf("path %q, operations %v, tenants %v", c.Path, c.Order, c.Target.Order)
	}
	if got := c.Target.Tenants["acme"].Renewed["Authorization"]; got != "Bearer acme-2" {
		t.Errorf("a renewed credential is %q, want the variable filled in", got)
	}
	if want := []string{"Bearer globex-1", "Bearer acme-1", "Bearer acme-2", "globex-1", "acme-1", "acme-2"}; !slices.Equal(c.Secrets, want) {
		t.Errorf("secrets %q, want %q: longest first", c.Secrets, want)
	}
	if c.Contract.Mismatch.Statuses[0] != 422 || c.Contract.Marker.Name != "Idempotent-Replayed" || c.Contract.Recovery.Within != 15*time.Second {
		t.Errorf("contract %+v, want ietf-07 with the file's marker and recovery", c.Contract)
	}
	op := c.Operations["create-ticket"]
	if op.Name != "create-ticket" || op.Isolate != config.Marker {
		t.Errorf("operation %q isolated by %q", op.Name, op.Isolate)
	}
	if got, want := string(op.Request.Body), `{"project":"{setup.project:/id}","title":"t","priority":"high","estimate":1.50,"labels":["red","blue"]}`; got != want {
		t.Errorf("body %s, want %s: members in order, numbers as spelled", got, want)
	}
	if got, want := string(op.Samples.Crash), `{"title":null,"labels":["explode"]}`; got != want {
		t.Errorf("sample %s, want %s", got, want)
	}
	if v := op.Vary["/estimate"]; v.Min != "0.25" || v.Max != "40" {
		t.Errorf("bounds %s to %s, want them exact", v.Min, v.Max)
	}
	if got := op.Effects[3].Command.Within; got != 3*time.Second {
		t.Errorf("a command's limit is %s", got)
	}
	if got := c.Target.Downstream.Routes[1].Status; got != 201 {
		t.Errorf("a route answers %d where nothing is said, want 201", got)
	}
	if got := c.Operations["close-ticket"]; got.Request.BodyText != "why = done" || got.Isolate != config.Exclusive {
		t.Errorf("%+v, want the text as body, and exclusive", got)
	}
}

func TestWhatTheShortestFileLeavesOutIsFilledIn(t *testing.T) {
	t.Parallel()
	c, err := config.Load("testdata/shortest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := (config.Timeouts{Request: 5 * time.Second, Settle: 300 * time.Millisecond, Recovery: 10 * time.Second}); c.Timeouts != want {
		t.Errorf("timeouts %+v, want %+v", c.Timeouts, want)
	}
	if want := (config.Limits{Objects: 5000, Kills: 8, Duration: 10 * time.Minute}); c.Limits != want {
		t.Errorf("limits %+v, want %+v", c.Limits, want)
	}
	if c.Contract.Profile != "ietf-07" || c.Contract.Name != "Idempotency-Key" || c.Target.Name != "target" {
		t.Errorf("contract %s with %s, target %q", c.Contract.Profile, c.Contract.Name, c.Target.Name)
	}
}

func TestARemoteTargetIsSpared(t *testing.T) {
	t.Parallel()
	c := parse(t, around("target: {url: 'https://staging.example.test'}"))
	if c.Limits.Rate != 50 || c.Target.Name != "staging.example.test" {
		t.Errorf("rate %d, name %q; want 50 a second, and the host's name", c.Limits.Rate, c.Target.Name)
	}
}

func TestHowEffectsAreToldApart(t *testing.T) {
	t.Parallel()
	const steps = "setup: [{name: p, method: POST, path: /p}]"
	for _, c := range []struct {
		name string
		file string
		want string
	}{
		{"nothing is unique", write("effects: [{http: {get: /a, items: '$[*]'}}]"), config.Exclusive},
		{"a unique place", write("unique: [/t]", steps), config.Marker},
		{"a parent in a probe", write(steps, "effects: [{http: {get: '/p/{setup.p:/id}/a', items: '$[*]'}}]"), config.Parent},
		{"a parent in the body", sent(steps, "request: {method: POST, path: /a, body: {p: '{setup.p:/id}'}}"), config.Parent},
		{"a parent that nobody names", write(steps), config.Exclusive},
		{"a probe that follows the key", write("effects: [{value: {get: '/a/{key}', at: $.n}}]"), config.Parent},
		{"as the file says", write("unique: [/t]", "isolate: exclusive"), config.Exclusive},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, c.file).Operations["a"].Isolate; got != c.want {
				t.Errorf("isolated by %q, want %q", got, c.want)
			}
		})
	}
}

func TestValuesOfABodyAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	const file = `target: {url: 'http://127.0.0.1:1'}
operations:
  a:
    request:
      method: POST
      path: /a
      body:
        z: 9007199254740993
        big: 123456789012345678901234567890
        dec: 90071992547409.93
        exp: 1e400
        neg: -0
        zero: 1.0
        text: "1.0"
        date: 2024-01-01
        yes: yes
        no: !!str no
        one: !!str 1
        true: True
        none: ~
        empty:
        block: |
          two
          lines
        folded: >-
          one
          line
        "quoted \u00e9": 'it''s'
        base: &base {a: 1, b: 2}
        use: *base
        merged: {<<: *base, b: 3, c: 4}
        list: [[], {}, "<&>"]
`
	const want = `{"z":9007199254740993,"big":123456789012345678901234567890,"dec":90071992547409.93,"exp":1e400,"neg":-0,"zero":1.0,` +
		`"text":"1.0","date":"2024-01-01","yes":"yes","no":"no","one":"1","true":true,"none":null,"empty":null,` +
		`"block":"two\nlines\n","folded":"one line","quoted é":"it's","base":{"a":1,"b":2},"use":{"a":1,"b":2},` +
		`"merged":{"b":3,"c":4,"a":1},"list":[[],{},"<&>"]}`
	if got := string(parse(t, file).Operations["a"].Request.Body); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestABodyOfNullIsNotNoBody(t *testing.T) {
	t.Parallel()
	if got := parse(t, sent("request: {method: POST, path: /a, body: null}")).Operations["a"].Request.Body; string(got) != "null" {
		t.Errorf("body %q, want null", got)
	}
	if got := parse(t, sent("request: {method: POST, path: /a}")).Operations["a"].Request.Body; got != nil {
		t.Errorf("body %q, want none", got)
	}
}

func TestABodyFileLiesBesideTheConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const body = "{ \"t\":\"x\",\n  \"n\": 1.0 }"
	for name, text := range map[string]string{
		"body.json": body,
		"c.yaml":    sent("request: {method: POST, path: /a, body_file: body.json}", "unique: [/t]", "vary: {/n: {max: 2}}"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(filepath.Join(dir, "c.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Operations["a"].Request; got.BodyText != body || got.BodyFile != "body.json" {
		t.Errorf("%+v, want the text of the file as it is", got)
	}
}

func TestStatesThatAreNotGivenStandForThemselves(t *testing.T) {
	t.Parallel()
	c := parse(t, write("status: {get: '/o/{key}', state: $.s, states: {in_progress: [queued, running], unknown: [], failed: [succeeded]}}"))
	want := map[string][]string{"in_progress": {"queued", "running"}, "failed": {"succeeded"}}
	if got := c.Operations["a"].Status.States; !reflect.DeepEqual(got, want) {
		t.Errorf("states %v, want %v: an empty list takes a state away, a word stands for one state", got, want)
	}
	c = parse(t, write("status: {get: '/o/{key}', state: $.s}"))
	want = map[string][]string{"in_progress": {"in_progress"}, "succeeded": {"succeeded"}, "failed": {"failed"}, "unknown": {"unknown"}}
	if got := c.Operations["a"].Status.States; !reflect.DeepEqual(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
}
