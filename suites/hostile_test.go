package suites_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// Bounds of one run against a hostile target. None says how fast it is: they tell an end from none.
const (
	generous = 2 * time.Minute
	heap     = 192 << 20 // bytes in use at any moment, beyond those before: the process holds the hostile server as well
	taken    = 128 << 20 // bytes that are taken from a server that sends without end, for each request
)

// limits of a run. A target that says nothing has to be given up soon; what is too much is found out however slow the machine.
type limits struct{ request, duration time.Duration }

var (
	patient   = limits{time.Minute, generous}
	impatient = limits{500 * time.Millisecond, generous}
)

// TestHostileTargets: whatever a target does, the run ends, within bounds of memory, takes nothing with it, and accuses the
// target of nothing that it does not show.
func TestHostileTargets(t *testing.T) {
	bystander := &counting{}
	elsewhere := httptest.NewServer(bystander)
	defer elsewhere.Close()
	for _, c := range []struct {
		name  string
		to    func(*http.Request) bool
		after int64 // writes that come through before; the steady state makes two
		does  misdeed
		limits
		says []string // the problem
	}{
		// From the first write: nothing can be said of the target.
		{"never answers a write", writes, 0, silence, impatient, []string{"the target is down", "the time limit passed", "timeouts.request is 500ms"}},
		{"closes on each write", writes, 0, hangUp, patient, []string{"the target is down", "no answer: the connection was"}},
		{"answers a write with 1 GB", writes, 0, flood("HTTP/1.1 201 Created\r\nContent-Length: 1073741824\r\n\r\n"), patient, []string{"the target is down", "larger than the limit"}},
		{"answers a write with headers for ever", writes, 0, headersForEver, patient, []string{"the target is down", "header larger than the limit"}},
		{"answers a write with a length that is too long", writes, 0, raw("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{}"), patient, []string{"the target is down", "2 of 100 bytes"}},
		{"redirects a write to another host", writes, 0, redirect(elsewhere.URL), patient, []string{"writes are refused", "307", "redirects are not followed"}},
		{"answers each write with 500", writes, 0, failing, patient, []string{"writes are refused", "500"}},
		{"answers each write with garbage", writes, 0, raw("SSH-2.0-OpenSSH_9.9\r\n\r\n"), patient, []string{"the target is down", "malformed HTTP"}},
		// The writes are made, but cannot be seen.
		{"never answers a read", reads, 0, silence, impatient, []string{"effects cannot be seen", "probe http"}},
		{"closes on each read", reads, 0, hangUp, patient, []string{"effects cannot be seen", "probe http"}},
		{"answers a read with 1 GB", reads, 0, flood("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), patient, []string{"effects cannot be seen", "larger than the limit"}},
		{"answers a read with headers for ever", reads, 0, headersForEver, patient, []string{"effects cannot be seen", "header"}},
		{"redirects a read to another host", reads, 0, redirect(elsewhere.URL), patient, []string{"effects cannot be seen", "not followed"}},
		{"answers a read with no JSON", reads, 0, noJSON, patient, []string{"effects cannot be seen", "expected JSON"}},
		{"answers each read with 500", reads, 0, failing, patient, []string{"effects cannot be seen", "500"}},
		// Once it has shown what it can do, an outage is not held against it.
		{"falls silent", writes, 2, silence, impatient, []string{"after lost/response create-ticket: ", "the target is down", "the time limit passed"}},
		{"begins to hang up", writes, 2, hangUp, patient, []string{"after lost/response create-ticket: ", "the target is down", "connection was"}},
		{"begins to flood", writes, 2, flood("HTTP/1.1 201 Created\r\n\r\n"), patient, []string{"after lost/response create-ticket: ", "the target is down", "larger than the limit"}},
		{"begins to send headers for ever", writes, 2, headersForEver, patient, []string{"after lost/response create-ticket: ", "the target is down", "header larger than the limit"}},
		{"begins to redirect", writes, 2, redirect(elsewhere.URL), patient, []string{"after lost/response create-ticket: ", "writes are refused", "307"}},
		{"begins to fail", writes, 2, failing, patient, []string{"after lost/response create-ticket: ", "writes are refused", "500"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := hostile(t, c.limits, func(api http.Handler, sent *poured) http.Handler {
				var seen atomic.Int64
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					n := seen.Load()
					if writes(r) {
						n = seen.Add(1) - 1
					}
					if c.to(r) && n >= c.after {
						c.does(w, r, sent)
						return
					}
					api.ServeHTTP(w, r)
				})
			}, map[bool]string{true: "replay/*", false: "lost/response"}[c.after == 0])
			if report.Result != reports.Environment {
				t.Fatalf("result %s (%s), want %s: %+v", report.Result, report.Problem, reports.Environment, report.Verdicts)
			}
			for _, text := range c.says {
				if !strings.Contains(report.Problem, text) {
					t.Errorf("the problem does not say %q: %s", text, report.Problem)
				}
			}
			for _, v := range report.Verdicts {
				if v.Verdict != verdict.Inconclusive && v.Verdict != verdict.NotAssessed || v.Blame == verdict.Target {
					t.Errorf("%s is %s and blames %q, though nothing can be said: %s", v.Name(), v.Verdict, v.Blame, v.Detail)
				}
			}
		})
	}
	if n := bystander.n.Load(); n != 0 {
		t.Errorf("another host received %d requests that the target redirected to it", n)
	}
}

// TestStrangeAnswersThatProveNothing: answers are hearsay. A target whose answers are odd, and whose state is right, passes.
func TestStrangeAnswersThatProveNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		body func([]byte) []byte
		head string
	}{
		{"a length that is too short", func(b []byte) []byte { return b }, "Content-Length: 12\r\n"},
		{"no JSON where JSON is declared", func([]byte) []byte { return []byte(`{"id": oops`) }, "Content-Length: 11\r\n"},
		{"half a character", func([]byte) []byte { return []byte("\xff\xfe{}") }, "Content-Length: 4\r\n"},
		{"no length at all", func(b []byte) []byte { return b }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := hostile(t, patient, func(api http.Handler, _ *poured) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !writes(r) {
						api.ServeHTTP(w, r)
						return
					}
					answer := httptest.NewRecorder()
					api.ServeHTTP(answer, r)
					head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nConnection: close\r\n%s\r\n", answer.Code, c.head)
					raw(head+string(c.body(answer.Body.Bytes())))(w, r, nil)
				})
			}, "replay/one-effect", "replay/same-status", "replay/same-body", "conflict/no-effect")
			if report.Result != reports.Conformant {
				t.Errorf("result %s (%s): %+v", report.Result, report.Problem, report.Verdicts)
			}
		})
	}
}

// TestHostileLists: the list that shows the effects is the harness's only eye, and not its own.
func TestHostileLists(t *testing.T) {
	foreign := func(n int64) string { return fmt.Sprintf(`{"id":"x%d","title":"somebody else's %d"}`, n, n) }
	for _, c := range []struct {
		name string
		list func(read int64, own []byte, r *http.Request) string
		want reports.Result
		says string
	}{
		{"ignores its filter", nil, reports.Conformant, ""},
		{"grows with each read", func(read int64, own []byte, _ *http.Request) string {
			var items []string
			for n := range read {
				items = append(items, foreign(n))
			}
			return page(own, "", items...)
		}, reports.Conformant, ""},
		{"is another one with each read", func(read int64, own []byte, _ *http.Request) string {
			return page(own, "", foreign(2*read), foreign(2*read+1))
		}, reports.Conformant, ""},
		{"pages for ever", func(read int64, own []byte, r *http.Request) string {
			return page(own, fmt.Sprintf("/v1/tickets?page=%d", read), foreign(read))
		}, reports.Environment, "expected a list that ends"},
		{"leads back to its beginning", func(_ int64, own []byte, r *http.Request) string {
			return page(own, r.URL.String())
		}, reports.Environment, "expected a list that ends"},
		{"leads to another host", func(_ int64, own []byte, _ *http.Request) string {
			return page(own, "http://192.0.2.1/v1/tickets")
		}, reports.Environment, "expected the next page on"},
		{"shows one write more often with each read", func(read int64, own []byte, _ *http.Request) string {
			return strings.ReplaceAll(page(bytes.Repeat(append(own, ','), int(read)), ""), ",]", "]")
		}, reports.Environment, "effects cannot be seen"},
		{"holds more than anybody reads", func(_ int64, own []byte, _ *http.Request) string {
			return page(own, "", strings.Repeat(foreign(0)+",", 150_000)+foreign(1))
		}, reports.Environment, "larger than the limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := hostile(t, patient, func(api http.Handler, _ *poured) http.Handler {
				var n atomic.Int64
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !reads(r) {
						api.ServeHTTP(w, r)
						return
					}
					if c.list == nil {
						r.URL.RawQuery = ""
						api.ServeHTTP(w, r)
						return
					}
					answer := httptest.NewRecorder()
					api.ServeHTTP(answer, r)
					_, items, _ := strings.Cut(answer.Body.String(), "[")
					w.Header().Set("Content-Type", "application/json")
					io.WriteString(w, c.list(n.Add(1), []byte(items[:strings.LastIndexByte(items, ']')]), r))
				})
			}, "replay/one-effect", "conflict/no-effect", "race/one-effect")
			if report.Result != c.want || !strings.Contains(report.Problem, c.says) {
				t.Errorf("result %s (%s), want %s with %q: %+v", report.Result, report.Problem, c.want, c.says, report.Verdicts)
			}
		})
	}
}

// TestTheWholeRunIsBounded: a target that answers nothing any more takes a time limit's time with every attempt, and there
// are many.
func TestTheWholeRunIsBounded(t *testing.T) {
	report := hostile(t, limits{impatient.request, 3 * time.Second}, func(api http.Handler, sent *poured) http.Handler {
		var seen atomic.Int64
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if writes(r) && seen.Add(1) > 2 {
				silence(w, r, sent)
				return
			}
			api.ServeHTTP(w, r)
		})
	}, "*/*")
	if report.Result != reports.Environment || !strings.Contains(report.Problem, "limits.duration: the 3s that the run may take were over in ") {
		t.Errorf("result %s (%s)", report.Result, report.Problem)
	}
	if report.Summary.Fail > 0 {
		t.Errorf("what nobody saw is held against the target: %+v", report.Verdicts)
	}
}

// TestATargetThatAcceptsNothing is down, whatever its operating system says for it.
func TestATargetThatAcceptsNothing(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() // connections stay in its backlog
	report := hostileRun(t, "http://"+listener.Addr().String(), impatient, "replay/one-effect")
	if report.Result != reports.Environment || !strings.Contains(report.Problem, "the target is down") {
		t.Errorf("result %s (%s)", report.Result, report.Problem)
	}
}

// hostile runs the requirements against a ticket API with something hostile in front of it, and holds the run to its bounds.
func hostile(t *testing.T, l limits, front func(api http.Handler, sent *poured) http.Handler, requirements ...string) *reports.Report {
	t.Helper()
	before := goleak.IgnoreCurrent()
	peak := watchHeap()

	api, err := mockapi.New(mockapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sent poured
	server := httptest.NewServer(front(api, &sent))
	report := hostileRun(t, server.URL, l, requirements...)
	server.CloseClientConnections()
	server.Close()
	api.Close()

	if n := peak(); n > heap {
		t.Errorf("%d MiB were in use at once, want at most %d", n>>20, heap>>20)
	}
	if n := sent.bytes.Load(); n > taken*sent.answers.Load() {
		t.Errorf("%d MiB were taken from a server that sends without end in %d answers, want at most %d for each", n>>20, sent.answers.Load(), taken>>20)
	}
	if err := goleak.Find(before); err != nil {
		t.Errorf("goroutines were left: %v", err)
	}
	return report
}

// watchHeap looks at the heap until the peak is asked for: how far it grew beyond what it was, in bytes.
func watchHeap() (peak func() uint64) {
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	start, most := inUse(), uint64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		look := time.NewTicker(10 * time.Millisecond)
		defer look.Stop()
		for {
			most = max(most, inUse())
			select {
			case <-look.C:
			case <-stop:
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return max(most, start) - start
	}
}

func hostileRun(t *testing.T, url string, l limits, requirements ...string) *reports.Report {
	t.Helper()
	cfg, err := config.Parse("hostile", []byte(fmt.Sprintf(`
target: {url: %s, tenants: {acme: {default: true, headers: {Authorization: Bearer acme-token}}}}
contract: {profile: ietf-07}
operations:
  create-ticket:
    request: {method: POST, path: /v1/tickets, body: {project: ops, title: t, priority: high}}
    unique: [/title]
    effects:
      - http: {get: "/v1/tickets?title={body:/title}", items: "$.tickets[*]", id: $.id, next: $.next}
timeouts: {request: %s, settle: 20ms, recovery: 500ms}
limits: {duration: %s}
`, url, l.request, l.duration)), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	report, err := suites.Execute(ctx, suites.Options{Config: cfg, Selection: run.Selection{Requirements: requirements}, Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatalf("the run did not end within %v", generous)
	}
	return report
}
