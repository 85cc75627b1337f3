package lost

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
)

// The intents that came out wrong are suspected first, then with them those whose attempts the kill ended, then all.
func TestSuspects(t *testing.T) {
	t.Parallel()
	s := newStorm()
	s.seen[2].Count, s.seen[2].IDs = 2, []string{"t2", "t9"}
	s.blows["kill"].Given = 500_000 // s.dead, of the first intent, was under way
	c, h := stormCase(t), s.history()
	var sizes []int
	for _, schedule := range suspects(c, h) {
		if err := schedule.Check(); err != nil {
			t.Error(err)
		}
		sizes = append(sizes, len(schedule.Calls))
	}
	if len(sizes) != 3 || sizes[0] != 1 || sizes[1] != 2 || sizes[2] != len(s.schedule.Calls) {
		t.Errorf("schedules of %v calls", sizes)
	}
	if stuck(c, h) {
		t.Error("it is done twice, not stuck")
	}
}

// Of operations that came to no end all is put down to the kill; not so where one was also done twice.
func TestStuck(t *testing.T) {
	t.Parallel()
	open := func() *stormy {
		s := newStorm()
		s.calm[0].Answer.Status = 409
		s.seen[0].Count, s.seen[0].IDs = 0, nil
		return s
	}
	s := open()
	if !stuck(stormCase(t), s.history()) {
		t.Error("an operation that is in progress in the end is stuck")
	}
	s = open()
	s.seen[1].Count, s.seen[1].IDs = 2, []string{"t1", "t9"}
	if stuck(stormCase(t), s.history()) {
		t.Error("another one was done twice")
	}
}

func stormCase(t *testing.T) rule.Case {
	return rule.Case{Operation: historytest.Operation, Contract: ruletest.IETF(t, func(k *contract.Contract) {
		k.Fidelity, k.Mismatch.Action, k.Mismatch.Statuses = contract.FidelityBody, contract.ActionRefuse, []int{422}
		k.InFlight.Statuses = []int{409}
	})}
}
