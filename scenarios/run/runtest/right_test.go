package runtest_test

import (
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/run/runtest"
)

// TestRightInAnotherWay: APIs that keep every promise they make are not accused of anything, and their case is not left open.
func TestRightInAnotherWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api      *runtest.API
		contract string
	}{
		"as one would think":                     {&runtest.API{}, "profile: ietf-07"},
		"everybody sees their own things":        {&runtest.API{Private: true}, "profile: ietf-07"},
		"lets duplicates wait":                   {&runtest.API{Private: true, Waits: true}, "profile: ietf-07, in_flight: {action: wait}"},
		"lets duplicates wait, says nothing":     {&runtest.API{Waits: true}, "profile: ietf-07"},
		"shows things late":                      {&runtest.API{Lag: 80 * time.Millisecond}, "profile: ietf-07"},
		"shows things late, to their maker":      {&runtest.API{Private: true, Lag: 50 * time.Millisecond}, "profile: ietf-07"},
		"answers before it works":                {&runtest.API{Async: true}, "profile: ietf-07, fidelity: resource"},
		"answers before, shows late":             {&runtest.API{Private: true, Async: true, Lag: 40 * time.Millisecond}, "profile: ietf-07, fidelity: resource"},
		"calls downstream at the end":            {&runtest.API{Private: true, CallsEnd: true}, "profile: ietf-07"},
		"refuses every duplicate":                {&runtest.API{Bare: true}, "profile: ietf-07, fidelity: effect"},
		"keeps failures, as declared":            {&runtest.API{Keeps: true}, `profile: ietf-07, stored: {5xx: "yes"}`},
		"keeps failures, says nothing":           {&runtest.API{Private: true, Keeps: true}, "profile: ietf-07"},
		"looks for the key in the body":          {&runtest.API{InBody: true}, "profile: ietf-07, missing: {action: execute}, malformed: {action: ignore}"},
		"stays busy for a while after a failure": {&runtest.API{Lease: 150 * time.Millisecond}, "profile: ietf-07"},
		"takes long where many come at once":     {&runtest.API{Drowns: true, Recovery: 300 * time.Millisecond}, "profile: ietf-07"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.api.Meaning = true
			var packs []string
			if testing.Short() && name != "as one would think" && !c.api.InBody {
				packs = []string{"conflict", "race", "lost", "status"} // where their ways differ in what goes on at once
			}
			if c.api.Drowns {
				packs = []string{"race"} // which comes back late to what was busy; elsewhere timeouts.recovery is the limit
			}
			for requirement, says := range runtest.Accused(runtest.Verdicts(t, c.api, c.contract, packs...)) {
				t.Errorf("%s %s", requirement, says)
			}
		})
	}
}
