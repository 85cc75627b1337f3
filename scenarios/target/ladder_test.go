package target_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// many makes shots of one intent.
func many(in *target.Intent, n int) []target.Shot {
	shots := make([]target.Shot, n)
	for i := range shots {
		shots[i] = target.Shot{Intent: in}
	}
	return shots
}

// fired sends a burst of n duplicates and returns what was recorded of it.
func fired(t *testing.T, s *target.Stage, n int) (*history.Burst, []*history.Attempt) {
	t.Helper()
	in := must(s.Intent(t.Context()))
	attempts := s.Burst(t.Context(), "duplicate", many(in, n))
	for _, a := range attempts {
		if a.Outcome != history.Answered || !a.Link.Reached || !a.Link.RequestWhole || a.Link.LastRequestAt == 0 || a.Link.FirstByteAt < a.Link.LastRequestAt ||
			a.Link.RequestBytes == 0 || a.Link.ResponseBytes == 0 || a.Link.ForwardedBytes != a.Link.ResponseBytes {
			t.Errorf("attempt: %s (%s) %+v", a.Outcome, a.Reason, a.Link)
		}
	}
	bursts := s.Histories()[0].Bursts("duplicate")
	return bursts[len(bursts)-1], attempts
}

// TestFrozenTargetFindsAllRequests: it stands still until it has them all, and goes on afterwards.
func TestFrozenTargetFindsAllRequests(t *testing.T) {
	t.Parallel()
	const n = 12
	r := living(t)
	r.steady(t)
	s := r.stage("race/one-effect")
	b, attempts := fired(t, s, n)
	if b.Rung != burst.FreezeName || b.Delivered != n || b.Together != n || b.Overlapped != n {
		t.Errorf("burst: %+v", b)
	}
	// None was answered before all were there.
	last, first := int64(0), attempts[0].Link.FirstByteAt
	for _, a := range attempts {
		last, first = max(last, a.Link.LastRequestAt), min(first, a.Link.FirstByteAt)
	}
	if last > first {
		t.Errorf("the last request was there at %d µs, the first answer began at %d µs", last, first)
	}
	h := s.Histories()[0]
	if h.Rung != b.Rung || h.Power == nil || h.Power.Rung != b.Rung {
		t.Errorf("header: %s, %+v", h.Rung, h.Power)
	}
	if a := s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{}); a.Outcome != history.Answered {
		t.Errorf("afterwards: %+v", a)
	}
}

// TestFrozenTargetGoesOnWhateverEnds: a run that is interrupted leaves nobody frozen.
func TestFrozenTargetGoesOnWhateverEnds(t *testing.T) {
	t.Parallel()
	r := living(t)
	r.steady(t)
	s := r.stage("race/one-effect")
	in := must(s.Intent(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	b := s.GoBurst(ctx, "duplicate", many(in, 8))
	cancel()
	b.Wait(t.Context())
	if a := s.Resolve(t.Context(), in, target.Send{}); a.Outcome != history.Answered {
		t.Errorf("afterwards: %+v", a)
	}
}

// TestOneWrite: where the target cannot be frozen but speaks HTTP/2, all requests leave together on one connection.
func TestOneWrite(t *testing.T) {
	t.Parallel()
	for name, encrypted := range map[string]bool{"prior knowledge": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &api{}
			protocols := make(chan string, 100)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					protocols <- r.Proto
				}
				a.ServeHTTP(w, r)
			}))
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetHTTP1(true)
			if encrypted {
				server.EnableHTTP2 = true
				server.Config.Protocols.SetHTTP2(true)
				server.StartTLS()
			} else {
				server.Config.Protocols.SetUnencryptedHTTP2(true)
				server.Start()
			}
			t.Cleanup(server.Close)
			r := startAt(t, configure(t, server.URL, plain))
			if encrypted {
				r.Trust(server.Certificate())
			}
			s := r.stage("race/one-effect")
			b, _ := fired(t, s, 8)
			if b.Rung != burst.HTTP2Name || b.Together != 8 || b.Overlapped != 8 { // whole together before any was answered, however busy the machine
				t.Errorf("burst: %+v", b)
			}
			close(protocols)
			for p := range protocols {
				if p != "HTTP/2.0" {
					t.Errorf("a request came over %s", p)
				}
			}
		})
	}
}

// TestTooMuchForOneWrite: what cannot be sent in one write is sent all the same, and the history says how.
func TestTooMuchForOneWrite(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(&api{})
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	large := strings.Replace(plain, "body: {", "body: {filler: "+strings.Repeat("x", 40_000)+", ", 1)
	if large == plain {
		t.Fatal("the body was not found")
	}
	s := startAt(t, configure(t, server.URL, large)).stage("race/one-effect")
	b, _ := fired(t, s, 4)
	noted := false
	for _, e := range s.Histories()[0].Events {
		noted = noted || strings.Contains(e.Note, burst.HTTP2Name+" could not be used")
	}
	if b.Rung != burst.BarrierName || !noted {
		t.Errorf("burst: %+v, noted: %v", b, noted)
	}
}

// TestHeldTogetherAtTheStore: nobody gets an answer of the database before all have asked. Where they do not ask it together that
// rung is left for the next one.
func TestHeldTogetherAtTheStore(t *testing.T) {
	t.Parallel()
	r, _ := linked(t)
	s := r.stage("race/one-effect")
	var shots []target.Shot
	for range 5 { // strangers: duplicates of the api wait for the first before they ask
		shots = append(shots, target.Shot{Intent: must(s.Intent(t.Context()))})
	}
	s.Burst(t.Context(), "stranger", shots)
	b := s.Histories()[0].Bursts("stranger")[0]
	if b.Rung != burst.StoreHoldName || b.AtStore < 2 || b.Strong != (b.AtStore > 2) {
		t.Errorf("strangers: %+v", b)
	}
	if b, _ := fired(t, s, 4); b.Rung != burst.StoreHoldName || b.AtStore > 1 {
		t.Errorf("duplicates of which one asks: %+v", b)
	}
	if b, _ := fired(t, s, 4); b.Rung != burst.StoreLatencyName {
		t.Errorf("after that: %+v", b)
	}
}

// TestRungThatBreaks: a target that cannot be frozen although it should be is raced from the barrier.
func TestRungThatBreaks(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&api{})
	t.Cleanup(server.Close)
	hooks := "\n  lifecycle: {hooks: {kill: \"true\", pause: \"exit 1\", resume: \"true\"}}\ncontract:"
	s := startAt(t, configure(t, server.URL, plain, "\ncontract:", hooks)).stage("race/one-effect")
	b, _ := fired(t, s, 4)
	if b.Rung != burst.BarrierName || b.Delivered != 0 {
		t.Errorf("burst: %+v", b)
	}
}
