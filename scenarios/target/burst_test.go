package target_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestBurstOverlaps: a server that answers nobody before all have arrived sees them all, and the history says so.
func TestBurstOverlaps(t *testing.T) {
	t.Parallel()
	const n = 8
	var all sync.WaitGroup
	all.Add(n)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			reply(w, 200, map[string]any{"total": 0, "tickets": []any{}})
			return
		}
		all.Done()
		all.Wait()
		reply(w, 201, map[string]any{})
	}))
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain, "request: 2s", "request: 20s"))
	s := r.stage("race/one-effect")
	in := must(s.Intent(t.Context()))
	shots := make([]target.Shot, n)
	for i := range shots {
		shots[i] = target.Shot{Intent: in}
	}
	attempts := s.Burst(t.Context(), "duplicate", shots)
	h := s.Histories()[0]
	bursts := h.Bursts("duplicate")
	if len(attempts) != n || len(bursts) != 1 {
		t.Fatalf("%d attempts, %d bursts", len(attempts), len(bursts))
	}
	for i, a := range attempts {
		if a.Outcome != history.Answered || a.Label != "duplicate" || bursts[0].Attempts[i] != a.ID {
			t.Errorf("attempt %d: %+v", i, a)
		}
	}
	// A client that is put to sleep right after it wrote does not count: it is at most cautious.
	if b := bursts[0]; b.Together <= n/2 || b.Overlapped < b.Together || b.Rung == "" || h.Rung != b.Rung {
		t.Errorf("burst: %+v", b)
	}
}

// TestBurstWhileHeld: a burst whose first request is held at the gate overlapped at the target's own work.
func TestBurstWhileHeld(t *testing.T) {
	t.Parallel()
	r, _ := gated(t)
	s := r.stage("race/one-effect")
	in := must(s.Intent(t.Context()))
	hold := s.Hold(in, before)
	b := s.GoBurst(t.Context(), "duplicate", []target.Shot{{Intent: in}, {Intent: in}, {Intent: in}})
	for _, f := range b.Flights() {
		<-f.Wire().RequestForwarded(1)
	}
	if !hold.Arrived(t.Context(), nil) {
		t.Fatal("nothing was held")
	}
	for _, f := range b.Flights() {
		select {
		case <-f.Done():
			t.Error("a duplicate was answered while the first was held")
		case <-time.After(10 * time.Millisecond): // it waits for the first
		}
	}
	hold.Release()
	b.Wait(t.Context())
	burst := s.Histories()[0].Bursts("")[0]
	if !burst.Strong || burst.Together < 2 {
		t.Errorf("burst: %+v", burst)
	}
}

// TestBurstThatCannotStart: shots that cannot be composed are attempts all the same.
func TestBurstThatCannotStart(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	s := r.stage("race/one-effect")
	in := must(s.Intent(t.Context()))
	attempts := s.Burst(t.Context(), "odd", []target.Shot{{Intent: in, Send: target.Send{Sample: "crash"}}, {Intent: in}})
	if attempts[0].Outcome != history.Unsent || attempts[1].Outcome != history.Answered {
		t.Errorf("attempts: %+v, %+v", attempts[0], attempts[1])
	}
}
