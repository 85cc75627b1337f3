package target_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestPile: the target has all requests when it is let go, works in steps, and is killed where it stands; all of it is recorded.
func TestPile(t *testing.T) {
	t.Parallel()
	r := living(t)
	r.steady(t)
	s := r.stage("crash/sweep")
	var shots []target.Shot
	for range 4 {
		shots = append(shots, target.Shot{Intent: must(s.Intent(t.Context()))})
	}
	hold := s.Hold(shots[0].Intent, before) // one of them does not end by itself
	err := s.Pile(t.Context(), "first", shots, func(p *target.Pile) {
		if !p.Steps() {
			t.Error("a process of the run's cannot be had to work in steps")
		}
		for n, f := range p.Flights {
			if proof := f.Wire().Proof(); proof.RequestForwarded == 0 {
				t.Errorf("request %d had not left when the target was let go", n)
			}
		}
		for _, f := range p.Flights[1:] { // the others are answered in steps
			for !f.Over() {
				if err := p.Stop(); err != nil {
					t.Fatal(err)
				}
				if err := p.Go(); err != nil {
					t.Fatal(err)
				}
				f.Within(t.Context(), 5*time.Millisecond)
			}
		}
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(t.Context()); err != nil {
			t.Error(err)
		}
		hold.Drop()
	})
	if err != nil {
		t.Fatal(err)
	}
	h := s.Histories()[0]
	for n, a := range h.Attempts("first") {
		if lost := a.Outcome == history.Lost; lost != (a.Intent == shots[0].Intent.ID) {
			t.Errorf("attempt %d: %s", n, a.Outcome)
		}
	}
	resume, steps, kill := h.Faults(history.FaultResume), h.Faults(history.FaultSteps), h.Faults(history.FaultKill)
	if len(resume) != 1 || !resume[0].Landed || len(steps) != 1 || steps[0].Moved <= 0 || len(kill) != 1 || !kill[0].Landed {
		t.Fatalf("resume %+v, steps %+v, kill %+v", resume, steps, kill)
	}
	for _, a := range h.Attempts("first") {
		if a.Link.FirstByteAt > 0 && a.Link.FirstByteAt < a.Link.LastRequestAt || a.Link.LastRequestAt > resume[0].Given {
			t.Errorf("it had not all of the request when it was let go: %+v, %d", a.Link, resume[0].Given)
		}
	}
}

// TestPileWithoutPause: what cannot be paused is acted on once it has all requests.
func TestPileWithoutPause(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&api{})
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain))
	s := r.stage("crash/sweep")
	shots := []target.Shot{{Intent: must(s.Intent(t.Context()))}, {Intent: must(s.Intent(t.Context()))}}
	acted := false
	err := s.Pile(t.Context(), "first", shots, func(p *target.Pile) { acted = !p.Steps() && len(p.Flights) == 2 })
	if h := s.Histories()[0]; err != nil || !acted || len(h.Attempts("first")) != 2 || len(h.Faults()) != 0 {
		t.Errorf("%v, acted %t: %+v", err, acted, h.Events)
	}
}
