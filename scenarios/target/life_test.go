package target_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// living starts this test program again as the api, with a gate; keys are in memory, tickets in a file.
func living(t *testing.T, more ...string) rig {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lifecycle := `
  downstream: {listen: "127.0.0.1:0"}
  lifecycle:
    process:
      command: ["SELF", "-test.run=^$"]
      env: {ONCESPEC_TEST_API: "127.0.0.1:{port}", ONCESPEC_TEST_DOWNSTREAM: "{downstream}", ONCESPEC_TEST_FILE: "{dir}/tickets"}
      ready: {http: /stats}
contract:`
	return startAt(t, configure(t, "http://127.0.0.1:{port}", plain, append(more, "\ncontract:", strings.Replace(lifecycle, "SELF", self, 1))...))
}

// TestKillAndRestart: the target dies at once, with proof, and comes back at the same place with what it kept.
func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	r := living(t)
	if s, _ := r.steady(t); !offers(s, catalogue.NeedLifecycle) || !offers(s, catalogue.NeedGate) {
		t.Fatalf("offers: %v, %v", s.Offers, s.Missing)
	}
	s := r.stage("crash/after-claim")
	in := must(s.Intent(t.Context()))
	hold := s.Hold(in, before)
	f := s.Go(t.Context(), in, target.Send{})
	if !hold.Arrived(t.Context(), f) {
		t.Fatal("no call to hold")
	}
	phase, evidence := s.Look(t.Context(), in, false)
	if phase != history.AfterClaim || !slices.Contains(evidence, "status reads in_progress") {
		t.Errorf("phase %s, %q", phase, evidence)
	}
	if err := s.Kill(t.Context(), in, phase, evidence); err != nil {
		t.Fatal(err)
	}
	hold.Drop()
	if a := f.Wait(t.Context()); a.Outcome != history.Lost || !a.Link.RequestWhole {
		t.Errorf("in the air: %+v", a)
	}
	if a := s.Do(t.Context(), in, target.Send{Label: "dead"}); a.Outcome != history.Unsent || !strings.Contains(a.Reason, "refused") {
		t.Errorf("while dead: %+v", a)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Resolve(t.Context(), in, target.Send{})
	if c := counts(s.Observe(t.Context(), in, "after")); c[history.Resource] != 1 || c[history.Ledger] != 1 {
		t.Errorf("afterwards: %v", c)
	}
	h := s.Histories()[0]
	kill, restart := h.Faults("kill"), h.Faults("restart")
	if len(kill) != 1 || !kill[0].Landed || kill[0].Phase != history.AfterClaim || kill[0].Intent != in.ID || !strings.Contains(kill[0].Detail, "SIGKILL") {
		t.Errorf("kill: %+v", kill)
	}
	if len(restart) != 1 || !restart[0].Landed {
		t.Errorf("restart: %+v", restart)
	}

	// What the procedure left dead is alive for the next one.
	s.Kill(t.Context(), nil, history.PhaseUnknown, nil)
	if err := s.Kill(t.Context(), nil, history.PhaseUnknown, nil); err == nil {
		t.Error("killed twice")
	}
	if err := r.Revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := r.stage("crash/durable")
	if a := next.Do(t.Context(), must(next.Intent(t.Context())), target.Send{}); a.Outcome != history.Answered {
		t.Errorf("after the revival: %+v", a)
	}
}

// TestReviveFails: a target that nobody can start again ends the run.
func TestReviveFails(t *testing.T) {
	t.Parallel()
	server := mortal(t, &api{})
	r := startAt(t, configure(t, server.URL, plain))
	if err := r.Revive(t.Context()); err != nil {
		t.Error(err)
	}
	server.Close()
	var environment *target.EnvironmentError
	if err := r.Revive(t.Context()); !errors.As(err, &environment) || !strings.Contains(err.Error(), "went down") {
		t.Errorf("error: %v", err)
	}
	s := r.stage("crash/durable")
	if err := s.Kill(t.Context(), nil, "", nil); err == nil {
		t.Error("killed without a lifecycle")
	}
	if err := s.Restart(t.Context()); err == nil {
		t.Error("restarted without a lifecycle")
	}
}

// TestReviveThaws: a target that stands still is no use to the next scenario.
func TestReviveThaws(t *testing.T) {
	t.Parallel()
	r := living(t)
	if err := syscall.Kill(r.PID(), syscall.SIGSTOP); err != nil {
		t.Skip(err)
	}
	if err := r.Revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := r.stage("x/y")
	if a := s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{}); a.Outcome != history.Answered {
		t.Errorf("attempt: %+v", a)
	}
}

// TestHooks: shell commands act on a target that somebody else runs.
func TestHooks(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&api{})
	t.Cleanup(server.Close)
	hooks := "\n  lifecycle: {hooks: {kill: \"echo killed\", start: \"exit 0\"}}\ncontract:"
	r := startAt(t, configure(t, server.URL, plain, "\ncontract:", hooks))
	s := r.stage("crash/durable")
	in := must(s.Intent(t.Context()))
	if err := s.Kill(t.Context(), in, history.AfterRecord, nil); err != nil {
		t.Error(err)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Error(err)
	}
	if f := s.Histories()[0].Faults("kill", "restart"); len(f) != 2 || !f[0].Landed || !strings.Contains(f[0].Detail, "hook") {
		t.Errorf("faults: %+v", f)
	}
}

// TestLook: the phase is named from what can be seen, and is unknown where nothing is.
func TestLook(t *testing.T) {
	t.Parallel()
	noStatus := func(s string) string {
		before, rest, _ := strings.Cut(s, "    status:")
		_, rest, _ = strings.Cut(rest, "\n")
		return before + rest
	}
	tests := []struct {
		name      string
		text      string
		when      bool // held after the booking
		duplicate bool
		inFlight  func(http.ResponseWriter)
		forget    bool
		phase     string
		words     string
	}{
		{"status says in progress", plain, false, false, nil, false, history.AfterClaim, "status reads in_progress"},
		{"booked, in progress", plain, true, false, nil, false, history.AfterEffect, "1 booked"},
		{"nothing tells", noStatus(plain), false, false, nil, false, history.PhaseUnknown, "1 downstream calls, 0 booked"},
		{"booked, nothing else tells", noStatus(plain), true, false, nil, false, history.AfterEffect, "1 booked"},
		{"a duplicate waits", noStatus(plain), false, true, nil, false, history.AfterClaim, "made to wait"},
		{"a duplicate is told to come back", noStatus(plain), false, true, func(w http.ResponseWriter) { w.WriteHeader(409) }, false, history.AfterClaim, "a duplicate"}, // a slow machine may only see it wait
		{"booked, and a duplicate waits", noStatus(plain), true, true, nil, false, history.AfterEffect, "made to wait"},
		{"a duplicate is executed", noStatus(plain), false, true, nil, true, history.PhaseUnknown, "although the first is not done"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := &api{inFlight: tt.inFlight, forget: tt.forget}
			server := httptest.NewServer(a)
			t.Cleanup(server.Close)
			r := startAt(t, configure(t, server.URL, tt.text, "\ncontract:", "\n  downstream: {listen: \"127.0.0.1:0\"}\ncontract:"))
			a.downstream = r.GateURL()
			r.steady(t)
			s := r.stage("crash/after-claim")
			in := must(s.Intent(t.Context()))
			when := before
			if tt.when {
				when = after
			}
			hold := s.Hold(in, when)
			f := s.Go(t.Context(), in, target.Send{})
			hold.Arrived(t.Context(), f)
			phase, evidence := s.Look(t.Context(), in, tt.duplicate)
			if phase != tt.phase || !strings.Contains(strings.Join(evidence, "; "), tt.words) {
				t.Errorf("phase %s, %q; want %s with %q", phase, evidence, tt.phase, tt.words)
			}
			if looks := len(s.Histories()[0].Attempts("look")); (looks == 1) != tt.duplicate {
				t.Errorf("%d duplicates were sent", looks)
			}
		})
	}
	t.Run("done", func(t *testing.T) {
		t.Parallel()
		r := start(t, &api{}, plain)
		s := r.stage("crash/after-record")
		in := must(s.Intent(t.Context()))
		if phase, evidence := s.Look(t.Context(), in, false); phase != history.BeforeClaim {
			t.Errorf("before anything: %s, %q", phase, evidence)
		}
		s.Do(t.Context(), in, target.Send{Fault: link.Plan{DropResponse: true}})
		if phase, evidence := s.Look(t.Context(), in, false); phase != history.AfterRecord {
			t.Errorf("phase %s, %q", phase, evidence)
		}
	})
	t.Run("done, and only a duplicate tells", func(t *testing.T) {
		t.Parallel()
		r := start(t, &api{}, noStatus(plain))
		s := r.stage("crash/after-record")
		in := must(s.Intent(t.Context()))
		s.Do(t.Context(), in, target.Send{Fault: link.Plan{DropResponse: true}})
		if phase, evidence := s.Look(t.Context(), in, true); phase != history.AfterRecord {
			t.Errorf("phase %s, %q", phase, evidence)
		}
	})
}

// TestQuiet: nothing is open any more when it returns.
func TestQuiet(t *testing.T) {
	t.Parallel()
	r, _ := gated(t)
	s := r.stage("race/in-flight")
	in := must(s.Intent(t.Context()))
	hold := s.Hold(in, before)
	f := s.Go(t.Context(), in, target.Send{})
	hold.Arrived(t.Context(), f)
	begin := time.Now()
	r.Quiet(t.Context())
	select {
	case <-f.Done():
	default:
		t.Error("an attempt is still open")
	}
	if time.Since(begin) < r.cfg.Timeouts.Settle {
		t.Error("the settle time did not pass")
	}
}
