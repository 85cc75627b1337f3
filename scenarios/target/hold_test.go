package target_test

import (
	"net/http/httptest"
	"testing"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	before = provider.BeforeBooking
	after  = provider.AfterBooking
)

// gated starts the api with a downstream, and finds its steady state.
func gated(t *testing.T) (rig, *api) {
	t.Helper()
	a := &api{}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain, "contract:", "  downstream: {listen: \"127.0.0.1:0\"}\ncontract:", "effects:", "effects:\n      - downstream: {}"))
	a.downstream = r.GateURL()
	if s, _ := r.steady(t); !offers(s, catalogue.NeedGate) {
		t.Fatalf("the gate is not offered: %v", s.Missing)
	}
	return r, a
}

func offers(s target.Steady, n catalogue.Need) bool {
	for _, o := range s.Offers {
		if o == n {
			return true
		}
	}
	return false
}

// counts are what the probes show, by kind.
func counts(list []history.Observation) map[string]int {
	m := map[string]int{}
	for _, o := range list {
		m[o.Kind] = o.Count
		if o.Error != "" || o.Odd != "" {
			m[o.Kind] = -1
		}
	}
	return m
}

// TestHold: the target stands still at its downstream call, on the side of the booking that was asked for, until the
// procedure decides.
func TestHold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		when   provider.When
		decide func(*target.Hold)
		held   int // bookings while held
		status int
		booked int // at the end, before any retry
	}{
		{"released before the booking", before, (*target.Hold).Release, 0, 201, 1},
		{"released after the booking", after, (*target.Hold).Release, 1, 201, 1},
		{"closed", before, (*target.Hold).Close, 0, 201, 1},
		{"dropped before the booking", before, (*target.Hold).Drop, 0, 502, 0},
		{"dropped after the booking", after, (*target.Hold).Drop, 1, 502, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, _ := gated(t)
			s := r.stage("race/in-flight")
			in, other := must(s.Intent(t.Context())), must(s.Intent(t.Context()))
			hold := s.Hold(in, tt.when)
			f := s.Go(t.Context(), in, target.Send{})
			if !hold.Arrived(t.Context(), f) {
				t.Fatal("the call was not held")
			}
			if a := s.Do(t.Context(), other, target.Send{}); a.Answer == nil || a.Answer.Status != 201 {
				t.Errorf("another intent is held too: %+v", a)
			}
			if c := counts(s.Observe(t.Context(), in, "held")); c[history.Ledger] != tt.held || c[history.Resource] != 0 {
				t.Errorf("while held: %v", c)
			}
			tt.decide(hold)
			if a := f.Wait(t.Context()); a.Answer == nil || a.Answer.Status != tt.status {
				t.Errorf("answer: %+v", a)
			}
			if c := counts(s.Observe(t.Context(), in, "after")); c[history.Ledger] != tt.booked {
				t.Errorf("afterwards: %v", c)
			}
			h := s.Histories()[0]
			if held, released := h.Faults("hold"), h.Faults("release"); len(held) != 1 || !held[0].Landed || len(released) != 1 || !released[0].Landed {
				t.Errorf("faults: %+v", h.Faults())
			}
		})
	}
}

// TestHoldWithoutCall: an attempt that makes no call ends the wait, and the history says that nothing was held.
func TestHoldWithoutCall(t *testing.T) {
	t.Parallel()
	r, _ := gated(t)
	s := r.stage("race/in-flight")
	in := must(s.Intent(t.Context()))
	hold := s.Hold(in, before)
	f := s.Go(t.Context(), in, target.Send{Sample: "invalid"})
	if hold.Arrived(t.Context(), f) {
		t.Error("a refused request seems to have called downstream")
	}
	hold.Close()
	if faults := s.Histories()[0].Faults("hold"); len(faults) != 1 || faults[0].Landed {
		t.Errorf("faults: %+v", faults)
	}
}

// TestLeftovers: what a procedure leaves open is ended with it, and noted.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	r, _ := gated(t)
	s := r.stage("race/in-flight")
	in := must(s.Intent(t.Context()))
	hold := s.Hold(in, before)
	f := s.Go(t.Context(), in, target.Send{})
	hold.Arrived(t.Context(), f)
	s.FailDownstream(in, 500, 1)
	h := s.Histories()[0]
	<-f.Done()
	notes := 0
	for _, e := range h.Events {
		if e.Note != "" {
			notes++
		}
	}
	if notes == 0 || len(h.Faults("release")) != 1 {
		t.Errorf("events: %+v", h.Events)
	}
	r.Quiet(t.Context())
	if a := r.stage("x/y"); a.Do(t.Context(), must(a.Intent(t.Context())), target.Send{}).Answer.Status != 201 {
		t.Error("the next scenario is disturbed")
	}
}

// TestFailDownstream: the next bookings fail, nothing is booked, and a retry after that is whole.
func TestFailDownstream(t *testing.T) {
	t.Parallel()
	r, _ := gated(t)
	s := r.stage("failure/transient")
	in := must(s.Intent(t.Context()))
	heal := s.FailDownstream(in, 500, 1)
	if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 503 {
		t.Errorf("first: %+v", a)
	}
	heal()
	heal()
	s.Resolve(t.Context(), in, target.Send{})
	if c := counts(s.Observe(t.Context(), in, "after")); c[history.Ledger] != 1 || c[history.Resource] != 1 {
		t.Errorf("afterwards: %v", c)
	}
	if f := s.Histories()[0].Faults("fail-downstream"); len(f) != 1 || !f[0].Landed {
		t.Errorf("faults: %+v", f)
	}
}

// TestLoseDownstream: the booking is made and the target does not hear of it; its downstream key keeps it to one.
func TestLoseDownstream(t *testing.T) {
	t.Parallel()
	r, _ := gated(t)
	s := r.stage("failure/unknown")
	in := must(s.Intent(t.Context()))
	heal := s.LoseDownstream(in, 1, true)
	if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 502 {
		t.Errorf("first: %+v", a)
	}
	heal()
	s.Resolve(t.Context(), in, target.Send{})
	list := s.Observe(t.Context(), in, "after")
	if c := counts(list); c[history.Ledger] != 1 || c[history.Resource] != 1 {
		t.Errorf("afterwards: %v", c)
	}
	for _, o := range list {
		if o.Kind == history.Ledger && (len(o.Calls) != 2 || !o.Calls[0].Booked || !o.Calls[1].Repeat || o.Calls[0].Key != o.Calls[1].Key) {
			t.Errorf("calls: %+v", o.Calls)
		}
	}
	if f := s.Histories()[0].Faults("lose-downstream"); len(f) != 1 || !f[0].Landed {
		t.Errorf("faults: %+v", f)
	}
}
