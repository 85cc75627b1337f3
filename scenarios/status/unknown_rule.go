package status

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func unknownRule(c rule.Case, h *history.History) []rule.Finding {
	first, now := h.First("first"), reading(h, "unknown")
	switch {
	case first == nil || now == nil:
		return one(rule.Inconclusive(verdict.Harness, "the status was not read"))
	case !rule.AnswerLost(h, first.Intent):
		return one(rule.Inconclusive(verdict.Environment, "the fault did not land: no booked downstream call of the operation lost its answer"))
	case c.Succeeded(first):
		return one(rule.NotAssessed("answered %s: the target's success does not depend on the answer from downstream", c.Says(first)))
	}
	if f := unreadable(now); f != nil {
		return one(*f)
	}
	switch now.State {
	case history.UnknownDone, history.InProgress:
		return one(rule.Pass(verdict.Strong, "its outcome uncertain, it reads %s", says(now)))
	}
	return one(rule.Fail(verdict.Strong, "its outcome uncertain, it reads %s", says(now)))
}
