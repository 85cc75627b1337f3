package target_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestSteadyState: an unfaulted write teaches what the operation offers, and how its effects are seen.
func TestSteadyState(t *testing.T) {
	t.Parallel()
	r := start(t, &api{lag: 60 * time.Millisecond}, plain)
	s, h := r.steady(t)
	for need, want := range map[catalogue.Need]bool{
		catalogue.NeedState: true, catalogue.NeedResource: true, catalogue.NeedChange: true, catalogue.NeedTenants: true,
		catalogue.NeedRenewed: true, catalogue.NeedStatus: true, catalogue.NeedInvalid: true, catalogue.NeedMarker: true,
		catalogue.NeedJSON: true, catalogue.NeedKeyHeader: true,
		catalogue.NeedGate: false, catalogue.NeedSecond: false, catalogue.NeedLifecycle: false, catalogue.NeedRefused: false,
		catalogue.NeedCrash: false, catalogue.NeedAlter: false, catalogue.NeedNoBody: false, catalogue.NeedLargeBody: false, catalogue.NeedKeyInPath: false,
	} {
		if offers(s, need) != want {
			t.Errorf("need %s: offered %v", need, !want)
		}
		if why := s.Missing[need]; (why == "") != want {
			t.Errorf("need %s: reason %q", need, why)
		}
	}
	if h.ID != "steady-state.create" || len(h.Capabilities) != len(s.Offers) || h.LagMS < 20 || h.Units["value"] != "3" {
		t.Errorf("history: %s, %v, lag %d ms, units %v", h.ID, h.Capabilities, h.LagMS, h.Units)
	}
	first, control := h.First("steady"), h.Attempts("control")
	if first == nil || len(control) != 2 || control[0].Answer.Status != 422 || control[1].Answer.Status != 201 {
		t.Errorf("attempts: %+v", h.Attempts())
	}
	if c := counts(derefs(h.Observations("i1", "after"))); c[history.Resource] != 1 || c[history.Value] != 1 {
		t.Errorf("observed: %v", c)
	}
	// What was learnt is in the histories that follow.
	stage := r.stage("lost/response")
	if !stage.Has(catalogue.NeedChange) || stage.Has(catalogue.NeedGate) {
		t.Error("the stage does not know what is offered")
	}
	stage.Note("so that there is something")
	if next := stage.Histories()[0]; next.LagMS != h.LagMS || next.Units["value"] != "3" || len(next.Capabilities) != len(h.Capabilities) {
		t.Errorf("next history: %+v", next)
	}
}

func derefs(list []*history.Observation) (all []history.Observation) {
	for _, o := range list {
		all = append(all, *o)
	}
	return all
}

// TestSteadyProblems: a target with which nothing can be concluded is found out before anything is judged.
func TestSteadyProblems(t *testing.T) {
	t.Parallel()
	answer := func(status int, header, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if name, value, found := strings.Cut(header, ": "); found {
				w.Header().Set(name, value)
			}
			w.WriteHeader(status)
			w.Write([]byte(body))
		})
	}
	noValue := []string{"      - value: {get: /stats, at: $.total}\n", ""}
	tests := []struct {
		name    string
		target  http.Handler
		replace []string
		kind    target.ProblemKind
		words   string
	}{
		{"never answers", http.HandlerFunc(silence), append([]string{"request: 2s", "request: 50ms"}, noValue...), target.TargetDown, "time limit"},
		{"closes at once", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), noValue, target.TargetDown, "closed"},
		{"refuses", &api{refuse: 400}, noValue, target.WritesRefused, `found 400: {"error":"refused"}`},
		{"refuses the tenant", &api{refuse: 401}, noValue, target.WritesRefused, "are the headers in target.tenants right?"},
		{"knows no such path", &api{refuse: 404}, noValue, target.WritesRefused, "method and path in operations.create.request, right?"},
		{"fails", &api{refuse: 500}, noValue, target.WritesRefused, "found 500"},
		{"redirects", answer(302, "Location: http://elsewhere.test/", ""), noValue, target.WritesRefused, "redirects are not followed"},
		{"shows nothing", &api{hide: true}, []string{"recovery: 2s", "recovery: 50ms"}, target.EffectsUnseen, "probe http"},
		{"shows no JSON", answer(201, "", "not JSON"), append([]string{"recovery: 2s", "recovery: 50ms"}, noValue...), target.EffectsUnseen, "JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.target)
			t.Cleanup(server.Close)
			r := startAt(t, configure(t, server.URL, plain, tt.replace...))
			s, h, err := r.Steady(t.Context(), r.op)
			var problem *target.Problem
			if err != nil || !errors.As(s.Problem, &problem) {
				t.Fatalf("error %v, problem %v", err, s.Problem)
			}
			if problem.Kind != tt.kind || !strings.Contains(problem.Error(), tt.words) {
				t.Errorf("problem: %v, want %s with %q", problem, tt.kind, tt.words)
			}
			if h == nil || h.Aborted == "" || h.Blame != "environment" {
				t.Errorf("history: %+v", h)
			}
		})
	}
	t.Run("went down", func(t *testing.T) {
		t.Parallel()
		server := mortal(t, &api{})
		r := startAt(t, configure(t, server.URL, plain, noValue...))
		server.Close()
		s, _, err := r.Steady(t.Context(), r.op)
		var problem *target.Problem
		if err != nil || !errors.As(s.Problem, &problem) || problem.Kind != target.TargetDown || !strings.Contains(problem.Detail, "refused") {
			t.Errorf("error %v, problem %v", err, s.Problem)
		}
	})
}

// TestATargetThatServesOneConnectionAtATime is told from one that is down, before each scenario waits for it.
func TestATargetThatServesOneConnectionAtATime(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(&api{})
	server.Listener = &oneByOne{server.Listener, make(chan struct{}, 1)}
	server.Start()
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain, "request: 2s", "request: 300ms"))
	s, _, err := r.Steady(t.Context(), r.op)
	if err != nil || s.Problem == nil || !strings.Contains(s.Problem.Error(), "serves one connection at a time") {
		t.Errorf("error %v, problem %v", err, s.Problem)
	}
}

// oneByOne accepts a connection when the one before is closed.
type oneByOne struct {
	net.Listener
	busy chan struct{}
}

func (l *oneByOne) Accept() (net.Conn, error) {
	l.busy <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &only{Conn: c, done: sync.OnceFunc(func() { <-l.busy })}, nil
}

type only struct {
	net.Conn
	done func()
}

func (c *only) Close() error {
	defer c.done()
	return c.Conn.Close()
}

// silence reads a request and never answers it.
func silence(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// TestSteadyReasons: what behaviour shows to be missing is missing with a reason.
func TestSteadyReasons(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		replace []string
		need    catalogue.Need
		words   string // empty: it is offered
	}{
		{"no change is accepted", []string{"enum: [high, odd, low]", "enum: [high, odd]"}, catalogue.NeedChange, "422"},
		{"nothing may vary", []string{"    vary: {/priority: {enum: [high, odd, low]}}\n", "    vary: {/priority: {enum: [high]}}\n"}, catalogue.NeedChange, "nothing in the request may vary"},
		{"guessed change", []string{"    vary: {/priority: {enum: [high, odd, low]}}\n", ""}, catalogue.NeedChange, ""},
		{"no call", []string{"\ncontract:", "\n  downstream: {listen: \"127.0.0.1:0\"}\ncontract:"}, catalogue.NeedGate, "target.downstream is not used: nothing came to http://127.0.0.1:"},
		{"status that is not there", []string{"/operations/{key}", "/broken/{key}"}, catalogue.NeedStatus, "found 500"},
		{"status in other words", []string{"succeeded: [done]", "succeeded: [ready]"}, catalogue.NeedStatus, `"done"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, &api{}, plain, tt.replace...)
			s, _ := r.steady(t)
			if why := s.Missing[tt.need]; offers(s, tt.need) != (tt.words == "") || !strings.Contains(why, tt.words) {
				t.Errorf("%s: offered %v, because %q; want %q", tt.need, offers(s, tt.need), why, tt.words)
			}
		})
	}
}

// TestSteadyAnswers: answers without a body and large ones are noticed.
func TestSteadyAnswers(t *testing.T) {
	t.Parallel()
	r := start(t, &api{noise: strings.Repeat("x", 1<<20)}, plain)
	if s, _ := r.steady(t); !offers(s, catalogue.NeedLargeBody) {
		t.Error("an answer over 1 MiB was not noticed")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(server.Close)
	text, _, _ := strings.Cut(plain, "    effects:")
	q := startAt(t, configure(t, server.URL, text))
	s, _ := q.steady(t)
	if !offers(s, catalogue.NeedNoBody) || offers(s, catalogue.NeedState) {
		t.Errorf("offers: %v", s.Offers)
	}
}
