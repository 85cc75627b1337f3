package runtest_test

import (
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/run/runtest"
)

// TestRightInAnotherWay: APIs that keep every promise they make are not accused, and their case is not left open.
func TestRightInAnotherWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api      *runtest.API
		contract string
	}{
		"refuses duplicates in flight":           {&runtest.API{}, "profile: ietf-07"},
		"lets duplicates wait":                   {&runtest.API{Waits: true}, "profile: ietf-07, in_flight: {action: wait}"},
		"lets duplicates wait, says nothing":     {&runtest.API{Waits: true}, "profile: ietf-07"},
		"shows things late":                      {&runtest.API{Lag: 30 * time.Millisecond}, "profile: ietf-07"},
		"answers before it works":                {&runtest.API{Async: true}, "profile: ietf-07, fidelity: resource"},
		"calls downstream at the end":            {&runtest.API{CallsEnd: true}, "profile: ietf-07"},
		"refuses every duplicate":                {&runtest.API{Bare: true}, "profile: ietf-07, fidelity: effect"},
		"keeps failures, as declared":            {&runtest.API{Keeps: true}, `profile: ietf-07, stored: {5xx: "yes"}`},
		"keeps failures, says nothing":           {&runtest.API{Keeps: true}, "profile: ietf-07"},
		"stays busy for a while after a failure": {&runtest.API{Lease: 150 * time.Millisecond}, "profile: ietf-07"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vs := runtest.Verdicts(t, c.api, c.contract, "lost", "race", "failure", "downstream", "status")
			for requirement, says := range runtest.Accused(vs) {
				t.Errorf("%s %s", requirement, says)
			}
		})
	}
}
