package runtest

import (
	"cmp"
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// operation of the configuration.
const operation = "create-thing"

// Verdicts runs packs against the API, with a gate and a status resource, and returns the verdicts by name
// ("failure/stored#5xx"); without packs it runs all. The contract is the text of its block, in YAML flow style: "profile:
// ietf-07, fidelity: effect".
func Verdicts(t testing.TB, a *API, contract string, packs ...string) map[string]verdict.Verdict {
	t.Helper()
	gate := free(t)
	a.Downstream = "http://" + gate
	server := httptest.NewServer(a)
	t.Cleanup(func() {
		server.Close()
		a.work.Wait()
	})
	body := `{title: thing, size: 3}`
	if a.InBody {
		body = `{request_id: "{key}", title: thing, size: 3}`
	}
	text := fmt.Sprintf(`
target:
  url: %s
  tenants:
    acme: {default: true, headers: {Authorization: Bearer acme-token-1}}
    globex: {headers: {Authorization: Bearer globex-token-1}}
  downstream: {listen: %q}
contract: {%s}
operations:
  %s:
    request: {method: POST, path: /things, body: %s}
    unique: [/title]
    effects:
      - http: {get: "/things?title={body:/title}", items: "$.things[*]", id: $.id}
      - downstream: {}
    status: {get: "/states/{key}", state: $.state, states: {in_progress: [running], succeeded: [done], failed: [failed]}, reference: $.result}
    samples: {invalid: {title: ""}}
timeouts: {request: 3s, settle: 100ms, recovery: %v}
`, server.URL, gate, contract, operation, body, cmp.Or(a.Recovery, 2*time.Second))
	cfg, err := config.Parse("toy.yaml", []byte(text), nil)
	if err != nil {
		t.Fatalf("the test's own configuration: %v", err)
	}
	return verdicts(t, cfg, packs)
}

func verdicts(t testing.TB, cfg *config.Config, packs []string) map[string]verdict.Verdict {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	plan, err := run.NewPlan(cfg, run.Selection{Packs: packs}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Begin(ctx, run.Options{Config: cfg, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(ctx)
	if r.Problem() != nil {
		t.Fatalf("the steady state was not reached: %v", r.Problem())
	}
	for _, step := range r.Plan().Steps {
		if _, err := r.Step(ctx, step); err != nil {
			t.Fatal(err)
		}
	}
	all, _, err := r.Finish(ctx)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]verdict.Verdict{}
	for _, v := range all {
		named[v.Name()] = v
	}
	return named
}

// free is an address that nobody listens at. It lies outside of the range from which other tests get theirs, so that it
// stays free.
func free(t testing.TB) string {
	t.Helper()
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// Accused names the verdicts that speak against the target or leave its case open, with what they say.
func Accused(vs map[string]verdict.Verdict) map[string]string {
	accused := map[string]string{}
	for name, v := range vs {
		switch v.Verdict {
		case verdict.Fail, verdict.Warn, verdict.Inconclusive, verdict.Error:
			accused[name] = fmt.Sprintf("%s: %s", v.Verdict, strings.TrimSpace(v.Detail))
		}
	}
	return accused
}
