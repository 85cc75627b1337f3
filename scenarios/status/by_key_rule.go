package status

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func byKeyRule(c rule.Case, h *history.History) []rule.Finding {
	if missing := rule.NotLost(h.First("first")); missing != "" {
		return one(rule.Inconclusive(verdict.Environment, "the fault did not land: %s", missing))
	}
	now := reading(h, "lost")
	if f := unreadable(now); f != nil {
		return one(*f)
	}
	switch now.State {
	case history.Absent:
		return one(rule.Fail(verdict.Strong, "the operation cannot be found by its key (%d)", now.HTTP))
	case history.Failed:
		if rule.EffectAt(h, "after") || rule.EffectAt(h, "final") {
			return one(rule.Fail(verdict.Strong, "the operation reads %s, but it has an effect", says(now)))
		}
	}
	return one(rule.Pass(verdict.Strong, "found by its key, it reads %s", says(now)))
}
