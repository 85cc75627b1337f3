package status

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func inProgressRule(c rule.Case, h *history.History) []rule.Finding {
	first, now := h.First("first"), reading(h, "held")
	if first == nil || now == nil {
		return one(rule.Inconclusive(verdict.Harness, "the status was not read"))
	}
	if !readWhileHeld(h, first.Intent) && c.CalledAfterwards(h, first) {
		return one(rule.NotAssessed("the target answers before its downstream call, which came after the status was read"))
	}
	if !readWhileHeld(h, first.Intent) {
		return one(rule.Inconclusive(verdict.Environment, "the operation was not held at the gate while its status was read"))
	}
	if f := unreadable(now); f != nil {
		return one(*f)
	}
	switch {
	case now.State == history.InProgress:
		return one(rule.Pass(verdict.Strong, "held at the gate, it reads %s", says(now)))
	case now.State == history.Succeeded && rule.EffectAt(h, "held"):
		return one(rule.NotAssessed("the target calls downstream after its effect: it was not in progress any more"))
	}
	return one(rule.Fail(verdict.Strong, "held at the gate, before its effect, it reads %s", says(now)))
}

// readWhileHeld tells whether the status was read between the arrival of the held call and its release.
func readWhileHeld(h *history.History, intent string) bool {
	from, until, held := h.Held(intent)
	for _, e := range h.Events {
		if held && e.Status != nil && e.Status.Moment == "held" && e.At >= from && e.At <= until {
			return true
		}
	}
	return false
}
