package race

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func inFlightThenReplayRule(c rule.Case, h *history.History) []rule.Finding {
	m, f := meet(c, h)
	if m.first == nil {
		return one(*f)
	}
	end := c.End(h, m.first.Intent)
	switch end.How {
	case rule.Duplicated, rule.Vanished, rule.Confused:
		return one(rule.Fail(verdict.Strong, "%s: %s", end.How, end.Detail))
	case rule.Unread:
		return one(rule.Inconclusive(verdict.Environment, "%s", end.Detail))
	}
	switch {
	case f != nil:
		return one(*f)
	case end.How == rule.Done:
		return one(rule.Pass(verdict.Strong, "the duplicate was answered %s; in the end there is %s", c.Says(m.duplicate), end.Detail))
	case end.Effects == 1 && c.Contract.Fidelity.OnlyEffect():
		return one(rule.Pass(verdict.Strong, "%s; the contract promises no more than the effect", end.Detail))
	case end.How == rule.Open && !end.Last.Link.RequestWhole:
		return one(rule.Inconclusive(verdict.Environment, "the retry did not reach the target whole"))
	}
	return one(rule.Fail(verdict.Strong, "the duplicate's retry did not get the result: %s", end.Detail))
}
