package history_test

import (
	"errors"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/jsonfile"
	"github.com/oncespec/oncespec/scenarios/storm"
)

func whole() *history.History {
	b := historytest.New("lost/response")
	in := b.Intent()
	b.Lost(in, "first")
	a := b.Answered(in, "retry", 201, `{}`)
	b.Burst("retry", a)
	b.Saw(in, history.Resource, "after", 1)
	b.Fault("kill", in, history.AfterClaim)
	b.Status(in, "after", history.Succeeded)
	b.Note("well")
	return b.History()
}

func TestWhatNoRunHasWrittenIsRefusedWithThePlace(t *testing.T) {
	t.Parallel()
	if err := whole().Check(); err != nil {
		t.Fatalf("a whole history: %v", err)
	}
	for at, edit := range map[string]func(*history.History){
		"/scenario":       func(h *history.History) { h.Scenario = "" },
		"/operations":     func(h *history.History) { h.Operations = nil },
		"/storm/schedule": func(h *history.History) { h.Storm = &history.Storm{} },
		"/storm/schedule/calls": func(h *history.History) {
			h.Storm = &history.Storm{Schedule: &storm.Schedule{Schema: storm.Schema, Operation: "a"}}
		},
		"/intents/0/id":                func(h *history.History) { h.Intents[0].ID = "" },
		"/intents/1/id":                func(h *history.History) { h.Intents = append(h.Intents, h.Intents[0]) },
		"/intents/0/twin_of":           func(h *history.History) { h.Intents[0].TwinOf = "i9" },
		"/events/2/seq":                func(h *history.History) { h.Events = append(h.Events[:2], h.Events[3:]...) },
		"/events/6":                    func(h *history.History) { h.Events[6].Note = "" },
		"/events/0":                    func(h *history.History) { h.Events[0].Note = "two things" },
		"/events/0/attempt/intent":     func(h *history.History) { h.Events[0].Attempt.Intent = "i7" },
		"/events/0/attempt/id":         func(h *history.History) { h.Events[0].Attempt.ID = 0 },
		"/events/1/attempt/id":         func(h *history.History) { h.Events[1].Attempt.ID = 1 },
		"/events/0/attempt/outcome":    func(h *history.History) { h.Events[0].Attempt.Outcome = "well" },
		"/events/1/attempt/outcome":    func(h *history.History) { h.Events[1].Attempt.Answer = nil },
		"/events/1/attempt/ended_us":   func(h *history.History) { h.Events[1].Attempt.Ended = 0 },
		"/events/2/burst/attempts/0":   func(h *history.History) { h.Events[2].Burst.Attempts[0] = 12 },
		"/events/3/observation/kind":   func(h *history.History) { h.Events[3].Observation.Kind = "guess" },
		"/events/3/observation/probe":  func(h *history.History) { h.Events[3].Observation.Probe = "" },
		"/events/3/observation/intent": func(h *history.History) { h.Events[3].Observation.Intent = "" },
		"/events/4/fault/kind":         func(h *history.History) { h.Events[4].Fault.Kind = "" },
		"/events/4/fault/intent":       func(h *history.History) { h.Events[4].Fault.Intent = "i7" },
		"/events/5/status/intent":      func(h *history.History) { h.Events[5].Status.Intent = "i7" },
	} {
		h := whole()
		edit(h)
		var found *jsonfile.Misfit
		if err := h.Check(); !errors.As(err, &found) || found.Pointer != at || found.Detail == "" {
			t.Errorf("%s: found %v", at, err)
		}
	}
}
