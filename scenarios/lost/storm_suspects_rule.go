package lost

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/linear"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// suspects are smaller schedules that may well fail as that of the history did: of the intents that came out wrong, and of these
// and what the kills caught. The schedule itself comes last.
func suspects(c rule.Case, h *history.History) (list []*storm.Schedule) {
	model := linear.New(c.Contract, h)
	var wrong, caught []int
	for i, in := range h.Intents {
		switch {
		case stormEnd(c, h, in.ID).Outcome == verdict.Fail || model.Explain(in.ID).How == linear.Unexplained:
			wrong, caught = append(wrong, i+1), append(caught, i+1)
		case interrupted(h, in.ID):
			caught = append(caught, i+1)
		}
	}
	whole := h.Storm.Schedule
	for _, intents := range [][]int{wrong, caught} {
		if few := whole.Only(intents...); few != nil {
			list = append(list, few)
		}
	}
	return append(list, whole)
}

// interrupted tells whether an attempt of the intent was under way when the target was killed.
func interrupted(h *history.History, intent string) bool {
	for _, kill := range h.Faults(history.FaultKill) {
		for _, a := range h.AttemptsOf(intent) {
			if a.Outcome == history.Lost && a.Link.RequestBytes > 0 && !a.Link.Cut && a.Began <= kill.Given && a.Ended >= kill.Given {
				return true
			}
		}
	}
	return false
}

// stuck tells whether all that is wrong is that operations came to no end.
func stuck(c rule.Case, h *history.History) (found bool) {
	for _, in := range h.Intents {
		if stormEnd(c, h, in.ID).Outcome != verdict.Fail {
			continue
		}
		if c.End(h, in.ID).How != rule.Open {
			return false
		}
		found = true
	}
	return found
}
