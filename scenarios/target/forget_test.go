package target_test

import (
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestForget: of a trial that was let go nothing is left, and of the others everything: a long storm would fill the memory.
func TestForget(t *testing.T) {
	t.Parallel()
	r, _ := gated(t)
	s := r.stage("lost/storm")
	keys, calls := r.Remembered()
	play := func(name string) (*target.Stage, *target.Intent) {
		trial := s.Trial(name)
		in := must(trial.Intent(t.Context()))
		for range 2 {
			trial.Do(t.Context(), in, target.Send{Label: "call"})
		}
		return trial, in
	}
	kept, in := play("kept")
	for range 3 {
		gone, _ := play("gone")
		s.Forget(gone)
	}
	if k, c := r.Remembered(); k != keys+1 || c != calls+1 {
		t.Errorf("%d keys and %d calls more than before, want those of the trial that is kept", k-keys, c-calls)
	}
	seen := kept.Observe(t.Context(), in, "after")
	for _, o := range seen {
		if o.Kind == history.Ledger && o.Count != 1 {
			t.Errorf("of the trial that is kept the gate shows %d bookings", o.Count)
		}
	}
	if hs := s.Histories(); len(hs) != 1 || hs[0].Trial != "kept" {
		t.Errorf("%d histories", len(hs))
	}
}
