package target_test

import (
	"path/filepath"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// noValue is replaced: what the others did moves it too.
const noValue = "\n      - value: {get: /stats, at: $.total}"

// TestAnew: a new target knows nothing of before, the one of before nothing of the new one, and of a trial that was settled
// the last readings are those of its own target.
func TestAnew(t *testing.T) {
	t.Parallel()
	r := living(t, noValue, "")
	s := r.stage("lost/storm")
	if !s.CanBeNew() {
		t.Fatal("it keeps all it has in {dir}")
	}
	resources := func(s *target.Stage, in *target.Intent) int {
		return counts(s.Observe(t.Context(), in, "after"))[history.Resource]
	}
	write := func(name string) (*target.Stage, *target.Intent) {
		trial := s.Trial(name)
		in := must(trial.Intent(t.Context()))
		trial.Do(t.Context(), in, target.Send{})
		if n := resources(trial, in); n != 1 {
			t.Fatalf("%s: %d resources", name, n)
		}
		return trial, in
	}
	before, old := write("before")
	if err := s.Anew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := resources(s.Trial("looks"), old); n != 0 {
		t.Errorf("the new target knows %d resources of before", n)
	}
	settled, first := write("settled")
	settled.Settle(t.Context())
	if err := s.Anew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := resources(s.Trial("looks"), first); n != 0 {
		t.Errorf("the second new target knows %d resources of the first", n)
	}
	if err := s.AsBefore(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := resources(s.Trial("looks"), old); n != 1 {
		t.Errorf("the target of before shows %d resources", n)
	}
	s.Final(t.Context())
	for _, trial := range []*target.Stage{before, settled} {
		h := trial.Histories()[0]
		if last := h.Observations("i1", history.AtTheEnd); len(last) == 0 || last[0].Count != 1 {
			t.Errorf("%s: in the end %+v", h.Trial, last)
		}
	}
}

// What the run does not start, or what keeps things elsewhere, cannot be made anew.
func TestNotToBeMadeAnew(t *testing.T) {
	t.Parallel()
	elsewhere := living(t, noValue, "")
	elsewhere.cfg.Target.Lifecycle.Process.Env["ONCESPEC_TEST_FILE"] = filepath.Join(t.TempDir(), "tickets")
	for name, r := range map[string]rig{
		"started by somebody else": start(t, &api{}, plain),
		"its file is elsewhere":    elsewhere,
		"others move its value":    living(t),
	} {
		if r.stage("lost/storm").CanBeNew() {
			t.Error(name)
		}
	}
}
