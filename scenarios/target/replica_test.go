package target_test

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// twice is living with a second instance, on the same file of tickets but with keys of its own.
func twice(t *testing.T) rig {
	t.Helper()
	return living(t, "  tenants:", "  replicas: [\"http://127.0.0.1:{port}\"]\n  tenants:")
}

// TestReplicasAreStartedWhereTheyAreWanted: a scenario that asks for them finds two instances, the next one a single one.
func TestReplicasAreStartedWhereTheyAreWanted(t *testing.T) {
	t.Parallel()
	r := twice(t)
	if s, _ := r.steady(t); !offers(s, catalogue.NeedReplicas) || !offers(s, catalogue.NeedPause) || !offers(s, catalogue.NeedStop) {
		t.Fatalf("offers: %v, %v", s.Offers, s.Missing)
	}
	s := r.stage("race/replicas")
	in := must(s.Intent(t.Context()))
	if a := s.Do(t.Context(), in, target.Send{Label: "early", Replica: 1}); a.Outcome != history.Unsent {
		t.Errorf("before it was started: %+v", a)
	}
	if n, err := s.Replicas(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d instances, %v", n, err)
	}
	if err := s.Instance(1).Ready(t.Context()); err != nil {
		t.Error(err)
	}
	burst := s.Burst(t.Context(), "duplicate", []target.Shot{{Intent: in}, {Intent: in, Send: target.Send{Replica: 1}}})
	if burst[0].Outcome != history.Answered || burst[1].Outcome != history.Answered {
		t.Fatalf("answers: %+v, %+v", burst[0], burst[1])
	}
	if burst[0].Replica != 0 || burst[1].Replica != 1 || host(burst[0]) == host(burst[1]) {
		t.Errorf("sent to %d at %s and %d at %s", burst[0].Replica, host(burst[0]), burst[1].Replica, host(burst[1]))
	}
	// Their keys are not shared: that they did it twice shows that there are two.
	if c := counts(s.Observe(t.Context(), in, "after")); c[history.Ledger] != 1 {
		t.Errorf("bookings under one downstream key: %v", c)
	}
	if calls := s.Histories()[0].Observations(in.ID, "after"); len(calls) == 0 {
		t.Error("no readings")
	}
	if err := r.Revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := r.stage("replay/one-effect")
	if err := next.Instance(1).Ready(t.Context()); err == nil {
		t.Error("the second instance outlived the scenario")
	}
	if a := next.Do(t.Context(), must(next.Intent(t.Context())), target.Send{Replica: 7}); a.Outcome != history.Unsent || !strings.Contains(a.Reason, "the target has 2") {
		t.Errorf("an instance that is not there: %+v", a)
	}
}

func host(a *history.Attempt) string {
	_, rest, _ := strings.Cut(a.Request.URL, "://")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// TestOneInstanceStandsStill: while it is paused, the others are sent to and asked about the state; then it goes on where it was.
func TestOneInstanceStandsStill(t *testing.T) {
	t.Parallel()
	r := twice(t)
	r.steady(t)
	s := r.stage("crash/fencing")
	if _, err := s.Replicas(t.Context()); err != nil {
		t.Fatal(err)
	}
	in := must(s.Intent(t.Context()))
	hold := s.Hold(in, before)
	f := s.Go(t.Context(), in, target.Send{})
	if !hold.Arrived(t.Context(), f) {
		t.Fatal("no call to hold")
	}
	owner := s.Instance(0)
	if err := owner.Pause(t.Context(), in, history.AfterClaim, []string{"seen"}); err != nil {
		t.Fatal(err)
	}
	hold.Release()
	if f.Within(t.Context(), 100*time.Millisecond) {
		t.Errorf("a frozen owner answered: %+v", f.Wait(t.Context()))
	}
	if a := s.Do(t.Context(), in, target.Send{Label: "takeover", Replica: 1}); a.Outcome != history.Answered {
		t.Errorf("the other instance: %+v", a)
	}
	if c := counts(s.Observe(t.Context(), in, "paused")); c[history.Ledger] == 0 {
		t.Errorf("nobody could be asked: %v", c)
	}
	if err := owner.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := f.Wait(t.Context()); a.Outcome != history.Answered {
		t.Errorf("the owner after it was resumed: %+v", a)
	}
	h := s.Histories()[0]
	pause, resume := h.Faults("pause"), h.Faults("resume")
	if len(pause) != 1 || !pause[0].Landed || pause[0].Instance != 0 || pause[0].Intent != in.ID || pause[0].Phase != history.AfterClaim {
		t.Errorf("pause: %+v", pause)
	}
	if len(resume) != 1 || !resume[0].Landed {
		t.Errorf("resume: %+v", resume)
	}
	var paused int64
	for _, e := range h.Events {
		switch e.Fault {
		case nil:
		case pause[0]:
			paused = e.At
		case resume[0]:
			if told := e.Fault.Given; told < paused || told > e.At || told > f.Wait(t.Context()).Link.FirstByteAt {
				t.Errorf("it stood still at %d, was told to go on at %d, was seen to at %d", paused, told, e.At)
			}
		}
	}

	// What a procedure left frozen goes on for the next one.
	if err := owner.Pause(t.Context(), nil, "", nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := r.stage("x/y")
	if a := next.Do(t.Context(), must(next.Intent(t.Context())), target.Send{}); a.Outcome != history.Answered {
		t.Errorf("after the revival: %+v", a)
	}
}

// TestOneInstanceIsKilledAndStopped: the other one goes on.
func TestOneInstanceIsKilledAndStopped(t *testing.T) {
	t.Parallel()
	r := twice(t)
	s := r.stage("crash/replica")
	if _, err := s.Replicas(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := s.Instance(1)
	for _, end := range []func() error{
		func() error { return second.Kill(t.Context(), nil, history.PhaseUnknown, nil) },
		func() error { return second.Stop(t.Context(), nil, 5*time.Second, history.PhaseUnknown, nil) },
	} {
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if second.Ready(t.Context()) == nil || s.Instance(0).Ready(t.Context()) != nil {
			t.Error("the wrong one was ended")
		}
		if err := second.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := second.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	}
	h := s.Histories()[0]
	kill, stop := h.Faults("kill"), h.Faults("stop")
	if len(kill) != 1 || kill[0].Instance != 1 || !strings.Contains(kill[0].Detail, "SIGKILL") {
		t.Errorf("kill: %+v", kill)
	}
	if len(stop) != 1 || stop[0].Instance != 1 || stop[0].Forced || !strings.Contains(stop[0].Detail, "SIGTERM") {
		t.Errorf("stop: %+v", stop)
	}
	var environment *target.EnvironmentError
	if err := s.Instance(2).Kill(t.Context(), nil, "", nil); err == nil || errors.As(err, &environment) {
		t.Errorf("an instance that is not there: %v", err)
	}
}

// TestHooksKnowWhichInstance: REPLICA names the one that is meant.
func TestHooksKnowWhichInstance(t *testing.T) {
	t.Parallel()
	one, two := httptest.NewServer(&api{}), httptest.NewServer(&api{})
	t.Cleanup(one.Close)
	t.Cleanup(two.Close)
	told := filepath.Join(t.TempDir(), "told")
	say := func(verb string) string { return verb + `: "echo ` + verb + ` $REPLICA >> ` + told + `"` }
	hooks := "\n  replicas: [\"" + two.URL + "\"]\n  lifecycle: {hooks: {" + say("kill") + ", " + say("stop") + ", " + say("pause") + ", " + say("resume") + "}}\ncontract:"
	r := startAt(t, configure(t, one.URL, plain, "\ncontract:", hooks))
	s := r.stage("crash/durable")
	if n, err := s.Replicas(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	for _, err := range []error{
		s.Instance(1).Kill(t.Context(), nil, "", nil), s.Instance(1).Restart(t.Context()), s.Instance(0).Stop(t.Context(), nil, time.Second, "", nil),
		s.Instance(1).Pause(t.Context(), nil, "", nil), // and left so
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := r.Revive(t.Context()); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(told)
	if want := "kill 1\nstop 0\npause 1\nresume 1\n"; string(text) != want {
		t.Errorf("told %q, want %q", text, want)
	}
}

// TestReplicaThatIsNotThere: who names an instance that nobody starts has it running.
func TestReplicaThatIsNotThere(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(&api{})
	t.Cleanup(up.Close)
	cfg := configure(t, up.URL, plain, "  tenants:", "  replicas: [\"http://"+free(t)+"\"]\n  tenants:")
	_, err := target.Start(t.Context(), target.Options{Config: cfg, Dir: t.TempDir()})
	var environment *target.EnvironmentError
	if !errors.As(err, &environment) || !strings.Contains(err.Error(), "target.replicas[0]") || !strings.Contains(err.Error(), "is it running?") {
		t.Errorf("got %v", err)
	}
}
