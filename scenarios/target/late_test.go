package target_test

import (
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestWhatComesLateIsNotTheNextOnesDoing: a number that all share moves some time after the answers. What an intent that nobody
// looked at did must not be counted for the one that follows.
func TestWhatComesLateIsNotTheNextOnesDoing(t *testing.T) {
	t.Parallel()
	r := start(t, &api{late: 60 * time.Millisecond}, plain)
	r.steady(t)
	stage := r.stage("race/distinct-keys")
	for range 3 {
		in := must(stage.Intent(t.Context()))
		stage.Do(t.Context(), in, target.Send{Label: "stranger"})
	}
	last := must(stage.Intent(t.Context()))
	stage.Do(t.Context(), last, target.Send{Label: "first"})
	for _, o := range stage.Observe(t.Context(), last, "after") {
		if o.Count != 1 || o.Odd != "" || o.Error != "" {
			t.Errorf("%s shows %+v, want one effect", o.Kind, o)
		}
	}
	if c := counts(stage.Observe(t.Context(), last, "after")); c[history.Value] != 1 {
		t.Errorf("observed %v, want the value to speak of it", c)
	}
}
