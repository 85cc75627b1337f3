package target_test

import (
	"net/http"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestABusinessConflictIsNotInFlight: a target that refuses with the status that its contract declares for duplicates in flight is
// not asked again and again: the key's first attempt cannot be in flight, nor can one that is refused for the same reason.
func TestABusinessConflictIsNotInFlight(t *testing.T) {
	t.Parallel()
	a := &api{}
	r := start(t, a, plain)
	r.steady(t)
	s := r.stage("failure/stored")
	in := must(s.Intent(t.Context()))
	a.mu.Lock()
	a.refuse = http.StatusConflict
	a.mu.Unlock()
	for n := range 3 {
		at := s.Resolve(t.Context(), in, target.Send{})
		if class := s.Class(at); class != contract.Refused || !at.Idle {
			t.Errorf("attempt %d: %s, idle %v; want refused", n+1, class, at.Idle)
		}
	}
	if posts := len(a.posts); posts > 6 { // those of the steady state among them
		t.Errorf("it was asked %d times", posts)
	}
}

// TestADuplicateIsInFlight: what is answered while another attempt of its key is under way may well be in flight, whoever came
// first.
func TestADuplicateIsInFlight(t *testing.T) {
	t.Parallel()
	r, a := gated(t)
	a.inFlight = func(w http.ResponseWriter) { reply(w, http.StatusConflict, map[string]any{"error": "in progress"}) }
	s := r.stage("race/in-flight")
	in := must(s.Intent(t.Context()))
	hold := s.Hold(in, before)
	first := s.Go(t.Context(), in, target.Send{})
	if !hold.Arrived(t.Context(), first) {
		t.Fatal("nothing was held")
	}
	duplicate := s.Do(t.Context(), in, target.Send{})
	if class := s.Class(duplicate); class != contract.InFlightAnswer || duplicate.Idle {
		t.Errorf("the duplicate: %s, idle %v", class, duplicate.Idle)
	}
	hold.Release()
	if f := first.Wait(t.Context()); f.Idle {
		t.Error("the first attempt was not alone")
	}
}

// TestALeftoverClaimIsInFlight: a refusal that leaves the key claimed is not taken for the same refusal again.
func TestALeftoverClaimIsInFlight(t *testing.T) {
	t.Parallel()
	a := &api{}
	r := start(t, a, plain)
	r.steady(t)
	s := r.stage("failure/stored")
	in := must(s.Intent(t.Context()))
	for n, c := range []struct {
		status int
		noise  string
		want   contract.Class
	}{
		{http.StatusForbidden, "no", contract.Refused},
		{http.StatusConflict, "in progress", contract.InFlightAnswer},
		{http.StatusForbidden, "no", contract.Refused},
	} {
		a.mu.Lock()
		a.refuse, a.noise = c.status, c.noise
		a.mu.Unlock()
		if at := s.Do(t.Context(), in, target.Send{}); s.Class(at) != c.want {
			t.Errorf("attempt %d: %s, want %s", n+1, s.Class(at), c.want)
		}
	}
}
