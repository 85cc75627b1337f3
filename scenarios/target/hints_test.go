package target_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target"
)

// TestHintsNameWhatToChange: what came back, and the line of the configuration that has to change.
func TestHintsNameWhatToChange(t *testing.T) {
	t.Parallel()
	// before lets what a check admits through to a correct API; the rest is answered with a status and words.
	before := func(admits func(*http.Request) bool, status int, words string) http.Handler {
		next := &api{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && !admits(r) {
				w.WriteHeader(status)
				w.Write([]byte(words))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	never := func(*http.Request) bool { return false }
	lists := func(body string) http.Handler {
		next := &api{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.URL.Path == "/tickets" {
				w.Write([]byte(body))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	noValue := []string{"      - value: {get: /stats, at: $.total}\n", ""}
	soon := append([]string{"recovery: 2s", "recovery: 50ms"}, noValue...)
	for _, tt := range []struct {
		name    string
		target  http.Handler
		replace []string
		says    []string
		not     string
	}{
		{"a key in quotes", before(func(r *http.Request) bool { return !strings.HasPrefix(r.Header.Get("Idempotency-Key"), `"`) }, 422, "what key?"), noValue,
			[]string{"found 422: what key?", `(Idempotency-Key: "`, "unquoted the same write is answered 201", "set contract.key.encoding (to be added to oncespec.yaml) to opaque"}, "request"},
		{"a key elsewhere", before(never, 400, `{"error":"X-Request-Id is missing"}`), noValue,
			[]string{"its answer speaks of X-Request-Id, and the key was sent as Idempotency-Key", "set contract.name (to be added to oncespec.yaml)"}, "opaque"},
		{"a key that it names itself", before(never, 400, `bad Idempotency-Key`), noValue,
			[]string{`if it is the key, which was sent as Idempotency-Key: "`, "operations.create.request (oncespec.yaml:10)"}, "speaks of"},
		{"the body", before(never, 422, `{"field":"title"}`), noValue, []string{"if it is the body that it refuses, change operations.create.request (oncespec.yaml:10)"}, "opaque"},
		{"the path", before(never, 405, ""), noValue, []string{"method and path in operations.create.request (oncespec.yaml:10), right?", "target.url (oncespec.yaml:3)"}, "opaque"},
		{"a tenant", before(never, 403, ""), noValue, []string{"are the headers in target.tenants (oncespec.yaml:4) right?"}, "opaque"},
		{"a list elsewhere", lists(`{"data": {"open tickets": [{"id": 1, "tags": ["a"]}], "gone": []}}`), soon,
			[]string{`GET /tickets answers {"data":{"gone":[],"open tickets":`, "there $.tickets[*] finds no item", `$.data["open tickets"][*] (1)`, "$.data.gone[*] (0)", "change operations.create.effects[0].http.items (oncespec.yaml:14)"}, ""},
		{"no list", lists(`{"total": 0, "next": null}`), soon, []string{"there is no list in it, only next, total"}, ""},
		{"other items", lists(`{"tickets": [{"id": "a", "name": "b"}, {"id": "c"}]}`), soon,
			[]string{"of 2 that GET /tickets shows at $.tickets[*] none is the one that was made, whose unique value is", `the first is {"id":"a","name":"b"}`, "effects[0].http.get (oncespec.yaml:14)"}, ""},
		{"an empty list", lists(`{"tickets": []}`), soon, []string{`answers {"tickets":[]}: the list at $.tickets[*] is empty; change operations.create.effects[0].http.get`}, "lists in it"},
		{"a value elsewhere", &api{}, []string{"at: $.total}", "at: $.count}", "recovery: 2s", "recovery: 50ms"},
			[]string{"expected a number at", "operations.create.effects[1] (oncespec.yaml:15)"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.target)
			t.Cleanup(server.Close)
			cfg := configure(t, server.URL, plain, tt.replace...)
			cfg.Path = "oncespec.yaml"
			r := startAt(t, cfg)
			s, _, err := r.Steady(t.Context(), r.op)
			var problem *target.Problem
			if err != nil || !errors.As(s.Problem, &problem) {
				t.Fatalf("error %v, problem %v", err, s.Problem)
			}
			for _, words := range tt.says {
				if !strings.Contains(problem.Detail, words) {
					t.Errorf("it does not say %q:\n%s", words, problem.Detail)
				}
			}
			if tt.not != "" && strings.Contains(strings.ReplaceAll(problem.Detail, "X-Request", ""), tt.not) {
				t.Errorf("it says %q:\n%s", tt.not, problem.Detail)
			}
		})
	}
}
