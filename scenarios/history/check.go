package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/jsonfile"
)

// Check tells whether the history hangs together: rules rely on it. The error is a *jsonfile.Misfit.
func (h *History) Check() error {
	switch {
	case h.Scenario == "":
		return jsonfile.Misfitf("/scenario", "names no scenario")
	case len(h.Operations) == 0:
		return jsonfile.Misfitf("/operations", "names no operation, expected the subject first")
	case h.Storm != nil && h.Storm.Schedule == nil:
		return jsonfile.Misfitf("/storm/schedule", "there is no schedule")
	}
	if h.Storm != nil {
		var at *jsonfile.Misfit
		if err := h.Storm.Schedule.Check(); errors.As(err, &at) {
			return jsonfile.Misfitf("/storm/schedule"+at.Pointer, "%s", at.Detail)
		}
	}
	c := &checker{intents: map[string]bool{}, attempts: map[int]bool{}}
	for i, in := range h.Intents {
		at := fmt.Sprintf("/intents/%d", i)
		switch {
		case in.ID == "" || c.intents[in.ID]:
			return jsonfile.Misfitf(at+"/id", "found %q, expected a name that no other intent has", in.ID)
		case in.TwinOf != "" && !c.intents[in.TwinOf]:
			return jsonfile.Misfitf(at+"/twin_of", "found %q, which no intent before is called", in.TwinOf)
		}
		c.intents[in.ID] = true
	}
	for i, e := range h.Events {
		at := fmt.Sprintf("/events/%d", i)
		if e.Seq != i+1 {
			return jsonfile.Misfitf(at+"/seq", "found %d, expected %d: events are missing, or in another order", e.Seq, i+1)
		}
		if err := c.event(at, e); err != nil {
			return err
		}
	}
	for i, e := range h.Events {
		for j, id := range members(e.Burst) {
			if !c.attempts[id] {
				return jsonfile.Misfitf(fmt.Sprintf("/events/%d/burst/attempts/%d", i, j), "found %d, which no attempt is called", id)
			}
		}
	}
	return nil
}

func members(b *Burst) []int {
	if b == nil {
		return nil
	}
	return b.Attempts
}

// checker knows what came before.
type checker struct {
	intents  map[string]bool
	attempts map[int]bool
}

func (c *checker) event(at string, e Event) error {
	kinds := 0
	for _, set := range []bool{e.Attempt != nil, e.Observation != nil, e.Fault != nil, e.Status != nil, e.Burst != nil, e.Note != ""} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return jsonfile.Misfitf(at, "is %d things at once, expected one of attempt, observation, fault, status, burst, note", kinds)
	case e.Attempt != nil:
		return c.attempt(at+"/attempt", e.Attempt)
	case e.Observation != nil:
		return c.observation(at+"/observation", e.Observation)
	case e.Fault != nil && !slices.Contains(FaultKinds, e.Fault.Kind):
		return jsonfile.Misfitf(at+"/fault/kind", "found %q, expected one of %s", e.Fault.Kind, strings.Join(FaultKinds, ", "))
	case e.Fault != nil && e.Fault.Intent != "":
		return c.known(at+"/fault/intent", e.Fault.Intent)
	case e.Status != nil:
		return c.known(at+"/status/intent", e.Status.Intent)
	}
	return nil
}

func (c *checker) attempt(at string, a *Attempt) error {
	if err := c.known(at+"/intent", a.Intent); err != nil {
		return err
	}
	switch {
	case a.ID < 1 || c.attempts[a.ID]:
		return jsonfile.Misfitf(at+"/id", "found %d, expected a number from 1 that no other attempt has", a.ID)
	case !slices.Contains([]string{Answered, Lost, Unsent}, a.Outcome):
		return jsonfile.Misfitf(at+"/outcome", "found %q, expected %s, %s or %s", a.Outcome, Answered, Lost, Unsent)
	case a.Outcome == Answered && a.Answer == nil:
		return jsonfile.Misfitf(at+"/outcome", "reads %s, and there is no answer", Answered)
	case a.Ended < a.Began:
		return jsonfile.Misfitf(at+"/ended_us", "found %d, before it began at %d", a.Ended, a.Began)
	}
	c.attempts[a.ID] = true
	return nil
}

func (c *checker) observation(at string, o *Observation) error {
	switch {
	case !slices.Contains([]string{Resource, Value, Ledger}, o.Kind):
		return jsonfile.Misfitf(at+"/kind", "found %q, expected %s, %s or %s", o.Kind, Resource, Value, Ledger)
	case o.Probe == "":
		return jsonfile.Misfitf(at+"/probe", "names no probe")
	}
	return c.known(at+"/intent", o.Intent)
}

func (c *checker) known(at, intent string) error {
	if !c.intents[intent] {
		return jsonfile.Misfitf(at, "found %q, which no intent is called", intent)
	}
	return nil
}
