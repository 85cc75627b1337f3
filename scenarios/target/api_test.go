package target_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv("ONCESPEC_TEST_API"); addr != "" {
		serve(addr)
		return
	}
	leaktest.Main(m)
}

// api is a small ticket API that does a keyed write once. Its fields break it on purpose.
type api struct {
	downstream string // called for each new ticket, with the key as downstream key; empty: not called
	store      string // asked twice for each new ticket, over one connection; empty: not asked
	refuse     int    // every write is answered with this status
	hide       bool   // the list shows nothing
	forget     bool   // keys are ignored
	noise      string // added to every answer
	lag        time.Duration
	late       time.Duration               // of the total
	file       string                      // where the tickets survive
	inFlight   func(w http.ResponseWriter) // a duplicate of what is in progress; default: it waits

	looks   atomic.Int64 // at the list of tickets
	mu      sync.Mutex
	tickets []map[string]any
	records map[string]*record
	posts   []*http.Request
	bodies  [][]byte
}

type record struct {
	body   []byte
	done   chan struct{}
	status int
	answer []byte
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/tickets" && r.Method == http.MethodPost:
		a.create(w, r)
	case r.URL.Path == "/tickets":
		a.looks.Add(1)
		a.mu.Lock()
		defer a.mu.Unlock()
		list := []map[string]any{}
		for _, t := range a.tickets {
			if !a.hide && time.Since(t["at"].(time.Time)) >= a.lag {
				list = append(list, t)
			}
		}
		reply(w, 200, map[string]any{"tickets": list})
	case r.URL.Path == "/stats":
		a.mu.Lock()
		defer a.mu.Unlock()
		total := 0.0
		for _, t := range a.tickets {
			if time.Since(t["at"].(time.Time)) < a.late {
				continue
			}
			total += t["amount"].(float64)
		}
		reply(w, 200, map[string]any{"open": len(a.tickets), "total": total})
	case strings.HasPrefix(r.URL.Path, "/operations/"):
		a.status(w, r)
	case strings.HasPrefix(r.URL.Path, "/broken"):
		reply(w, 500, map[string]any{"error": "broken"})
	case r.URL.Path == "/parents":
		reply(w, 201, map[string]any{"id": "parent-123"})
	default:
		reply(w, 404, map[string]any{"error": "no such thing"})
	}
}

func (a *api) create(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a.mu.Lock()
	a.posts = append(a.posts, r)
	a.bodies = append(a.bodies, body)
	if a.refuse != 0 {
		a.mu.Unlock()
		reply(w, a.refuse, map[string]any{"error": "refused"})
		return
	}
	key := strings.Trim(r.Header.Get("Idempotency-Key"), `"`) + r.Header.Get("Authorization")
	if old := a.records[key]; old != nil && !a.forget {
		a.mu.Unlock()
		a.again(w, old, body)
		return
	}
	rec := &record{body: body, done: make(chan struct{})}
	if a.records == nil {
		a.records = map[string]*record{}
	}
	a.records[key] = rec
	a.mu.Unlock()

	rec.status, rec.answer = a.execute(r, body)
	a.mu.Lock()
	if rec.status >= 500 {
		delete(a.records, key)
	}
	close(rec.done)
	a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Set-Cookie", "session=cookie-secret-42")
	w.WriteHeader(rec.status)
	w.Write(rec.answer)
}

func (a *api) again(w http.ResponseWriter, old *record, body []byte) {
	if !bytes.Equal(old.body, body) {
		reply(w, 422, map[string]any{"error": "another payload"})
		return
	}
	select {
	case <-old.done:
	default:
		if a.inFlight != nil {
			a.inFlight(w)
			return
		}
		<-old.done
	}
	w.Header().Set("Idempotent-Replayed", "true")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(old.status)
	w.Write(old.answer)
}

func (a *api) execute(r *http.Request, body []byte) (int, []byte) {
	var ticket map[string]any
	if json.Unmarshal(body, &ticket) != nil || ticket["title"] == "" || ticket["priority"] == "odd" {
		return 422, []byte(`{"error":"invalid"}`)
	}
	if ticket["amount"] == nil {
		ticket["amount"] = 1.0
	}
	if a.downstream != "" {
		call, _ := http.NewRequest(http.MethodPost, a.downstream+"/book", bytes.NewReader(body))
		call.Header.Set("Idempotency-Key", "down-"+strings.Trim(r.Header.Get("Idempotency-Key"), `"`))
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		answer, err := client.Do(call)
		if err != nil {
			return 502, []byte(`{"error":"downstream gone"}`)
		}
		answer.Body.Close()
		if answer.StatusCode >= 500 {
			return 503, []byte(`{"error":"downstream failed"}`)
		}
	}
	if a.store != "" && !a.ask("claim", "commit") {
		return 503, []byte(`{"error":"no database"}`)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	ticket["id"] = fmt.Sprintf("t%d", len(a.tickets)+1)
	ticket["at"] = time.Now()
	a.tickets = append(a.tickets, ticket)
	a.keep(ticket)
	answer, _ := json.Marshal(map[string]any{"id": ticket["id"], "title": ticket["title"], "noise": a.noise, "echo": r.Header.Get("Authorization")})
	return 201, answer
}

// ask says lines to the store, one after the other, and tells whether all were answered.
func (a *api) ask(lines ...string) bool {
	conn, err := net.Dial("tcp", a.store)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	in := bufio.NewReader(conn)
	for _, line := range lines {
		fmt.Fprintln(conn, line)
		if answer, err := in.ReadString('\n'); err != nil || answer != "done\n" {
			return false
		}
	}
	return true
}

func (a *api) status(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	rec := a.records[strings.TrimPrefix(r.URL.Path, "/operations/")+r.Header.Get("Authorization")]
	a.mu.Unlock()
	if rec == nil {
		reply(w, 404, map[string]any{})
		return
	}
	select {
	case <-rec.done:
		reply(w, 200, map[string]any{"state": map[bool]string{true: "done", false: "failed"}[rec.status < 300]})
	default:
		reply(w, 200, map[string]any{"state": "working"})
	}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// plain is a configuration for the api.
const plain = `
target:
  url: URL
  tenants:
    acme: {default: true, headers: {Authorization: "Bearer acme-secret-token"}, renewed: {Authorization: "Bearer acme-renewed-token"}}
    globex: {headers: {Authorization: "Bearer globex-secret-token"}}
contract: {profile: ietf-07, marker: {name: Idempotent-Replayed}}
operations:
  create:
    request: {method: POST, path: /tickets, body: {title: "t", priority: high, amount: 3}}
    unique: [/title]
    vary: {/priority: {enum: [high, odd, low]}}
    effects:
      - http: {get: /tickets, items: "$.tickets[*]", id: $.id}
      - value: {get: /stats, at: $.total}
    status: {get: "/operations/{key}", state: $.state, states: {in_progress: [working], succeeded: [done], failed: [failed]}}
    samples: {invalid: {title: ""}}
timeouts: {request: 2s, settle: 30ms, recovery: 2s}
`

// configure reads a configuration, with the URL filled in and texts replaced.
func configure(t *testing.T, url, text string, replace ...string) *config.Config {
	t.Helper()
	text = strings.NewReplacer(append([]string{"URL", url}, replace...)...).Replace(text)
	cfg, err := config.Parse("oncespec.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatalf("configuration: %v", err)
	}
	return cfg
}

// rig is a started target and its operation.
type rig struct {
	*target.Target
	cfg *config.Config
	op  *config.Operation
}

// start serves the api and starts a target for it.
func start(t *testing.T, a *api, text string, replace ...string) rig {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return startAt(t, configure(t, server.URL, text, replace...))
}

func startAt(t *testing.T, cfg *config.Config) rig {
	t.Helper()
	tg, err := target.Start(t.Context(), target.Options{Config: cfg, Seed: 1, Dir: t.TempDir()})
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() {
		if err := tg.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return rig{tg, cfg, cfg.Operations["create"]}
}

// steady finds the steady state of the operation, which must be well.
func (r rig) steady(t *testing.T) (target.Steady, *history.History) {
	t.Helper()
	s, h, err := r.Steady(t.Context(), r.op)
	if err != nil {
		t.Fatalf("steady state: %v", err)
	}
	if s.Problem != nil {
		t.Fatalf("steady state: %v", s.Problem)
	}
	return s, h
}

// stage opens one for a scenario.
func (r rig) stage(scenario string) *target.Stage {
	return r.Stage(target.Scenario{ID: scenario}, r.op, target.StageOptions{Try: 1})
}

func must(in *target.Intent, err error) *target.Intent {
	if err != nil {
		panic(err)
	}
	return in
}

// serve runs the api as a process of its own, with what it knows in memory only, or its tickets in a file.
func serve(addr string) {
	a := &api{downstream: os.Getenv("ONCESPEC_TEST_DOWNSTREAM"), file: os.Getenv("ONCESPEC_TEST_FILE")}
	a.load()
	fmt.Println("serving at", addr)
	if err := http.ListenAndServe(addr, a); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// load reads the tickets that an earlier process left.
func (a *api) load() {
	lines, _ := os.ReadFile(a.file)
	for line := range strings.Lines(string(lines)) {
		var ticket map[string]any
		if json.Unmarshal([]byte(line), &ticket) == nil {
			ticket["at"] = time.Time{}
			a.tickets = append(a.tickets, ticket)
		}
	}
}

// keep writes a ticket where the next process finds it.
func (a *api) keep(ticket map[string]any) {
	if a.file == "" {
		return
	}
	f, err := os.OpenFile(a.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	line, _ := json.Marshal(ticket)
	f.Write(append(line, '\n'))
}
