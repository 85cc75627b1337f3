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
	effect := rule.EffectAt(h, "after") || rule.EffectAt(h, "final")
	switch now.State {
	case history.Absent:
		if !effect { // what was lost may have been a refusal, such as 429
			return one(rule.Inconclusive(verdict.Environment, "neither the operation (%d) nor an effect of it is to be seen: the lost answer may have refused it", now.HTTP))
		}
		return one(rule.Fail(verdict.Strong, "the operation cannot be found by its key (%d)", now.HTTP))
	case history.Failed:
		if effect {
			return one(rule.Fail(verdict.Strong, "the operation reads %s, but it has an effect", says(now)))
		}
	}
	return one(rule.Pass(verdict.Strong, "found by its key, it reads %s", says(now)))
}
