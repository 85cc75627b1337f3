package target_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestFaultsLandAndAreProven: what is planned for a connection happens, and the attempt says so.
func TestFaultsLandAndAreProven(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		send    target.Send
		outcome string
		proof   func(*history.Attempt) bool
		effects int
	}{
		{"nothing", target.Send{}, history.Answered,
			func(a *history.Attempt) bool {
				return a.Link.Reached && a.Link.RequestWhole && !a.Link.Cut && a.Link.FirstByteAt >= a.Link.LastRequestAt && a.Answer.Status == 201
			}, 1},
		{"answer dropped", target.Send{Fault: link.Plan{DropResponse: true}}, history.Lost,
			func(a *history.Attempt) bool {
				return a.Link.RequestWhole && a.Link.Cut && a.Link.ResponseBytes > 0 && a.Link.ForwardedBytes == 0 && a.Answer == nil
			}, 1},
		{"answer cut", target.Send{Fault: link.Plan{CutResponse: 160}}, history.Lost,
			func(a *history.Attempt) bool { return a.Link.Cut && a.Link.ForwardedBytes == 160 }, 1},
		{"connection reset", target.Send{Fault: link.Plan{ResetResponse: true}}, history.Lost,
			func(a *history.Attempt) bool { return a.Link.Cut && a.Link.FirstByteAt > 0 }, 1},
		{"answer replaced", target.Send{Fault: link.Plan{ReplaceResponse: []byte("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")}}, history.Answered,
			func(a *history.Attempt) bool { return a.Replaced && a.Answer.Status == 502 && a.Link.Cut }, 1},
		{"request cut", target.Send{Fault: link.Plan{CutRequest: 100}}, history.Lost,
			func(a *history.Attempt) bool {
				return a.Link.Cut && !a.Link.RequestWhole && a.Link.RequestBytes == 100
			}, 0},
		{"request dribbled", target.Send{Fault: link.Plan{DribbleRequest: link.Dribble{Slice: 64, Pause: time.Millisecond}}}, history.Answered,
			func(a *history.Attempt) bool { return a.Link.RequestWhole && a.Answer.Status == 201 }, 1},
		{"client hangs up", target.Send{HangUp: true}, history.Lost,
			func(a *history.Attempt) bool { return a.Link.RequestWhole && a.Answer == nil }, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, &api{}, plain)
			r.steady(t)
			s := r.stage("lost/response")
			in := must(s.Intent(t.Context()))
			a := s.Do(t.Context(), in, tt.send)
			if a.Outcome != tt.outcome || !tt.proof(a) {
				t.Errorf("attempt: %s (%s), link %+v, answer %+v", a.Outcome, a.Reason, a.Link, a.Answer)
			}
			if tt.effects == 1 {
				s.Resolve(t.Context(), in, target.Send{})
			}
			for _, o := range s.Observe(t.Context(), in, "after") {
				if o.Count != tt.effects || o.Error != "" {
					t.Errorf("probe %s shows %d effects (%s), want %d", o.Probe, o.Count, o.Error, tt.effects)
				}
			}
		})
	}
}

// TestHeldAnswer: an answer held on the link is released by the procedure, or its client gives up.
func TestHeldAnswer(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	s := r.stage("lost/slow-response")
	in := must(s.Intent(t.Context()))

	f := s.Go(t.Context(), in, target.Send{Fault: link.Plan{HoldResponse: true}})
	<-f.Wire().FirstResponse()
	f.Wire().Release()
	if a := f.Wait(t.Context()); a.Outcome != history.Answered || a.Label != "first" {
		t.Errorf("released: %+v", a)
	}

	giveUp := make(chan struct{})
	f = s.Go(t.Context(), in, target.Send{Fault: link.Plan{HoldResponse: true}, GiveUp: giveUp})
	<-f.Wire().FirstResponse()
	close(giveUp)
	a := f.Wait(t.Context())
	if a.Outcome != history.Lost || !strings.Contains(a.Reason, "gave up") || a.Label != "retry" || a.Link.FirstByteAt == 0 {
		t.Errorf("given up: %+v", a)
	}
}

// TestClientGivesUp: a client that waits no longer is told apart from one whose answer was taken away.
func TestClientGivesUp(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	r := startAt(t, configure(t, server.URL, plain, "request: 2s", "request: 100ms"))
	s := r.stage("lost/slow-response")
	in := must(s.Intent(t.Context(), target.As("globex")))

	if a := s.Do(t.Context(), in, target.Send{}); a.Outcome != history.Lost || !strings.Contains(a.Reason, "time limit") || !a.Link.RequestWhole {
		t.Errorf("after timeouts.request: %s, %s", a.Outcome, a.Reason)
	}
	if a := s.Do(t.Context(), in, target.Send{Timeout: 10 * time.Millisecond}); a.Outcome == history.Answered {
		t.Errorf("after a timeout of its own: %+v", a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f := s.Go(t.Context(), in, target.Send{Timeout: time.Minute})
	<-f.Wire().RequestForwarded(1)
	cancel()
	if a := f.Wait(ctx); a.Outcome != history.Lost {
		t.Errorf("after the end of the context: %s", a.Outcome)
	}
}

// TestNothingIsSentTwice: a lost answer is one request, whatever an HTTP library would do about it.
func TestNothingIsSentTwice(t *testing.T) {
	t.Parallel()
	var seen atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			seen.Add(1)
		}
		panic(http.ErrAbortHandler) // closes the connection without an answer
	}))
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain))
	s := r.stage("lost/response")
	in := must(s.Intent(t.Context()))
	for range 3 {
		if a := s.Do(t.Context(), in, target.Send{}); a.Outcome != history.Lost || !a.Link.RequestWhole {
			t.Errorf("attempt: %+v", a)
		}
	}
	if n := seen.Load(); n != 3 {
		t.Errorf("3 attempts reached the server as %d requests", n)
	}
}

// TestRedirectIsAnAnswer: nobody follows it.
func TestRedirectIsAnAnswer(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Store(true) }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain))
	s := r.stage("lost/response")
	if a := s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{}); a.Outcome != history.Answered || a.Answer.Status != http.StatusTemporaryRedirect {
		t.Errorf("attempt: %+v", a)
	}
	if elsewhere.Load() {
		t.Error("the redirect was followed")
	}
}

// TestCompose: what is put on the wire is what was asked for.
func TestCompose(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	r.steady(t)
	s := r.stage("key/syntax")
	in := must(s.Intent(t.Context(), target.WithKey("my-key")))
	tests := []struct {
		name string
		send target.Send
		want string // somewhere in the request
		not  string
	}{
		{"own", target.Send{}, "Authorization: Bearer acme-secret-token\nIdempotency-Key: \"my-key\"", ""},
		{"renewed", target.Send{Credentials: target.Renewed}, "Authorization: Bearer acme-renewed-token", "acme-secret-token"},
		{"no credentials", target.Send{Credentials: target.NoCreds}, `"my-key"`, "Authorization"},
		{"other tenant", target.Send{Tenant: "globex"}, "Authorization: Bearer globex-secret-token", "acme"},
		{"no key", target.Send{NoKey: true}, "", "Idempotency-Key"},
		{"two keys", target.Send{KeyFields: []string{"a", `"b`}}, "Idempotency-Key: a\nIdempotency-Key: \"b", "my-key"},
		{"changed", target.Send{Change: true}, `"priority":"low"`, `"high"`},
		{"invalid", target.Send{Sample: "invalid"}, `"title":""`, in.Markers[0]},
		{"exact", target.Send{Exact: &rewrite.Request{Method: "PUT", Path: "/x"}, Tenant: "globex"}, "PUT /x", "Authorization"},
	}
	for _, tt := range tests {
		request, err := s.Compose(in, tt.send)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		text := request.Method + " " + request.Target() + "\n"
		for _, f := range request.Header {
			text += f.Name + ": " + f.Value + "\n"
		}
		text += string(request.Body)
		if !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: want %q and no %q in\n%s", tt.name, tt.want, tt.not, text)
		}
	}
	if _, err := s.Compose(in, target.Send{Sample: "crash"}); err == nil {
		t.Error("a sample that is not configured: want an error")
	}
	if a := s.Do(t.Context(), in, target.Send{Sample: "crash"}); a.Outcome != history.Unsent || !strings.Contains(a.Reason, "samples.crash") {
		t.Errorf("an attempt that cannot be composed: %+v", a)
	}
}

// TestResolve: a good client retries until it knows, and no longer.
func TestResolve(t *testing.T) {
	t.Parallel()
	answers := func(statuses ...int) (*httptest.Server, *atomic.Int32) {
		var n atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			i := int(n.Add(1)) - 1
			w.WriteHeader(statuses[min(i, len(statuses)-1)])
		}))
		return server, &n
	}
	tests := []struct {
		name     string
		statuses []int
		requests int32
		last     int
	}{
		{"a result ends it", []int{201}, 1, 201},
		{"unknown, in flight, then a result", []int{503, 409, 409, 201}, 4, 201},
		{"a refusal ends it", []int{422}, 1, 422},
		{"the same failure again and again is an answer", []int{500}, 5, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server, n := answers(tt.statuses...)
			t.Cleanup(server.Close)
			r := startAt(t, configure(t, server.URL, strings.ReplaceAll(plain, "      - value: {get: /stats, at: $.total}\n", "")))
			s := r.stage("lost/response")
			a := s.Resolve(t.Context(), must(s.Intent(t.Context())), target.Send{})
			if a.Answer == nil || a.Answer.Status != tt.last || n.Load() != tt.requests || a.Label != "retry" {
				t.Errorf("%d requests, last %+v", n.Load(), a)
			}
		})
	}
}

// TestResolveGivesUp: a key that stays busy for ever ends at timeouts.recovery.
func TestResolveGivesUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(409) }))
	t.Cleanup(server.Close)
	text := strings.ReplaceAll(plain, "      - value: {get: /stats, at: $.total}\n", "")
	r := startAt(t, configure(t, server.URL, text, "recovery: 2s", "recovery: 50ms"))
	s := r.stage("crash/after-claim")
	if a := s.Resolve(t.Context(), must(s.Intent(t.Context())), target.Send{}); a.Answer.Status != 409 {
		t.Errorf("last attempt: %+v", a)
	}
}
