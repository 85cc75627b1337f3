package suites_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// ticketsYAML is what the author of a handler writes: no lifecycle, and a URL that the test fills in.
const ticketsYAML = `
target:
  name: tickets
  url: http://127.0.0.1:1
  tenants:
    acme: {default: true, headers: {Authorization: Bearer acme-token}, renewed: {Authorization: Bearer acme-token-2}}
    globex: {headers: {Authorization: Bearer globex-token}}
contract:
  profile: ietf-07
  stored: {4xx: "yes", 5xx: "no", validation: "no"}
  marker: {name: Idempotent-Replayed, value: "true"}
operations:
  create-ticket:
    request: {method: POST, path: /v1/tickets, body: {project: ops, title: t, priority: high}}
    unique: [/title]
    vary: {/priority: {enum: [low, normal, high]}}
    effects:
      - http: {get: "/v1/tickets?title={body:/title}", items: "$.tickets[*]", id: $.id, next: $.next}
    status:
      get: "/v1/operations/{key}"
      state: $.state
      reference: $.result.location
    samples: {invalid: {project: ""}, refused: {project: closed}, crash: {project: explode}}
timeouts: {settle: 20ms}
`

func ticketsConfig(t *testing.T) *config.Config {
	t.Helper()
	cfg, err := config.Parse("tickets", []byte(ticketsYAML), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func ticketsAPI(t *testing.T) http.Handler {
	t.Helper()
	api, err := mockapi.New(mockapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	return api
}

// TestHandlerPasses is also what the author of a middleware writes.
func TestHandlerPasses(t *testing.T) {
	t.Parallel()
	suites.TestHandler(t, ticketsAPI(t), suites.Options{Config: ticketsConfig(t)})
}

// asChild makes the tests of a child process run that are meant to fail.
const asChild = "ONCESPEC_TEST_CHILD"

// TestHandlerInChild is the test of an author whose middleware has a defect. It runs in a process of its own.
func TestHandlerInChild(t *testing.T) {
	if os.Getenv(asChild) == "" {
		t.Skip("only in a child process: it is meant to fail")
	}
	suites.TestHandler(t, byKeyAlone(ticketsAPI(t)), suites.Options{Config: ticketsConfig(t),
		Selection: run.Selection{Requirements: []string{"replay/one-effect", "replay/large-body", "conflict/refused"}}})
}

func TestHandlerTellsWhatFailed(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestHandlerInChild$", "-test.v")
	cmd.Env = append(os.Environ(), asChild+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("a defective handler passes: %v\n%s", err, out)
	}
	for _, text := range []string{
		"--- FAIL: TestHandlerInChild/conflict/refused_on_create-ticket",
		"fail: the changed payload was answered 201",
		"(seed ",
		"--- PASS: TestHandlerInChild/replay/one-effect#resource_on_create-ticket",
		"--- SKIP: TestHandlerInChild/replay/large-body_on_create-ticket",
		"the operation does not answer with more than 1 MiB",
	} {
		if !strings.Contains(string(out), text) {
			t.Errorf("it does not say %q:\n%s", text, out)
		}
	}
}

// TestADefectiveHandlerFails runs the same against middlewares with a defect, and through Execute, since a failing subtest
// would fail this test as well.
func TestADefectiveHandlerFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		serve func(api http.Handler) http.Handler
		fails []string // of these and no others
	}{
		{"stores answers by key alone", byKeyAlone, []string{"conflict/refused", "key/other-principal", "replay/authorised"}},
		{"forgets the key", withoutKey, []string{"replay/one-effect#resource"}},
		{"gives every retry another status", withAnotherStatus, []string{"replay/same-status"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.serve(ticketsAPI(t)))
			defer server.Close()
			cfg := ticketsConfig(t)
			cfg.Target.URL = server.URL
			report, err := suites.Execute(t.Context(), suites.Options{Config: cfg, Selection: run.Selection{
				Requirements: []string{"replay/one-effect", "replay/same-status", "replay/authorised", "conflict/refused", "key/other-principal"}}})
			if err != nil {
				t.Fatal(err)
			}
			if report.Result != reports.NotConformant {
				t.Errorf("result %s (%s)", report.Result, report.Problem)
			}
			var failed []string
			for _, v := range report.Verdicts {
				if v.Verdict == verdict.Fail {
					failed = append(failed, v.Name())
				}
			}
			for _, name := range c.fails {
				if v := find(report, name, "create-ticket"); v.Verdict != verdict.Fail {
					t.Errorf("%s is %q (%s), want a fail", name, v.Verdict, v.Detail)
				}
			}
			if len(failed) != len(c.fails) {
				t.Errorf("failed: %s; want %s", strings.Join(failed, ", "), strings.Join(c.fails, ", "))
			}
		})
	}
}

// byKeyAlone answers every request under a key with what the first was answered, whatever it says and whoever sends it.
func byKeyAlone(api http.Handler) http.Handler {
	var mu sync.Mutex
	stored := map[string]*httptest.ResponseRecorder{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if r.Method == http.MethodGet || key == "" {
			api.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if stored[key] == nil {
			stored[key] = httptest.NewRecorder()
			api.ServeHTTP(stored[key], r)
		}
		copyAnswer(w, stored[key], stored[key].Code)
	})
}

// withoutKey lets every request be executed: under a key that nobody sent before.
func withoutKey(api http.Handler) http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			r.Header.Set("Idempotency-Key", fmt.Sprintf(`"00000000-0000-4000-8000-%012d"`, n.Add(1)))
		}
		api.ServeHTTP(w, r)
	})
}

// withAnotherStatus turns a replayed 201 into 200.
func withAnotherStatus(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, r)
		code := answer.Code
		if answer.Header().Get("Idempotent-Replayed") != "" && code == http.StatusCreated {
			code = http.StatusOK
		}
		copyAnswer(w, answer, code)
	})
}

func copyAnswer(w http.ResponseWriter, answer *httptest.ResponseRecorder, code int) {
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(code)
	io.Copy(w, bytes.NewReader(answer.Body.Bytes()))
}

// ExampleTestHandler is a test in the module of a middleware's author.
func ExampleTestHandler() {
	var orders http.Handler // wrapped in the middleware

	_ = func(t *testing.T) { // func TestOrdersAreMadeOnce(t *testing.T)
		cfg, err := config.Load("testdata/oncespec.yaml")
		if err != nil {
			t.Fatal(err)
		}
		suites.TestHandler(t, orders, suites.Options{Config: cfg})
	}
}
