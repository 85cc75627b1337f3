package fuzz

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// ticketsYAML is the mock's operation that has most for rewrites to act on. The url is the test's.
const ticketsYAML = `
target:
  name: tickets
  url: http://127.0.0.1:1
  tenants:
    acme: {default: true, headers: {Authorization: Bearer acme-token}, renewed: {Authorization: Bearer acme-token-2}}
contract:
  profile: ietf-07
  fingerprint: {mode: semantic, query: counts, unknown_fields: refused, absence: distinct, normalisation: none}
  marker: {name: Idempotent-Replayed, value: "true"}
  stored: {4xx: "yes", 5xx: "no", validation: "no"}
operations:
  create-ticket:
    request:
      method: POST
      path: /v1/tickets?notify=owner
      body:
        project: ops
        title: oncespec
        priority: high
        labels: [red, blue]
        details: {source: {system: billing, page: 7}, ratio: 0.25, note: "first draft"}
    unique: [/title]
    vary:
      /priority: {enum: [low, normal, high]}
      /labels: {type: array, values: {type: string}}
      /details: {type: object}
      "?notify": {enum: [owner, none]}
    effects:
      - http: {get: "/v1/tickets?title={body:/title}", items: "$.tickets[*]", id: $.id, next: $.next}
limits: {objects: 100000}
`

// serve runs the mock, or a mutant of it, in this process, and returns a configuration for it.
func serve(t testing.TB, mutant, yaml string) *config.Config {
	t.Helper()
	promised, err := contract.Profile("ietf-07")
	if err != nil {
		t.Fatal(err)
	}
	api, err := mockapi.New(mockapi.Options{Contract: promised, Mutant: mutant})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(api)
	server.Config.Protocols = mockapi.Protocols()
	server.Start()
	t.Cleanup(func() { server.Close(); api.Close() })
	cfg, err := config.Parse("fuzz", []byte(yaml), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target.URL = server.URL
	return cfg
}

func search(t testing.TB, o Options) *Report {
	t.Helper()
	began := time.Now()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Problem != "" {
		t.Fatalf("the search ended early: %s", r.Problem)
	}
	for _, op := range r.Operations {
		t.Logf("%s: %d pairs, %d requests, %d executions, %d findings, %d invalid, stopped %q, %v", op.Name, op.Pairs, op.Requests, op.Executions, len(op.Findings), op.Invalid, op.Stopped, time.Since(began))
	}
	return r
}
