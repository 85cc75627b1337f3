package failure

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func unknownRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	if first == nil || !rule.AnswerLost(h, first.Intent) {
		return inAll(rule.Inconclusive(verdict.Environment, "the fault did not land: no booked downstream call of the operation lost its answer"))
	}
	end := c.End(h, first.Intent)
	if end.Last == first || !end.Last.Link.Reached {
		return inAll(rule.Inconclusive(verdict.Environment, "no retry reached the target"))
	}
	return []rule.Finding{reported(c, first, end).In("reported"), bookedOnce(end).In("one-effect"), resolves(c, first, end).In("resolves")}
}

func inAll(f rule.Finding) []rule.Finding {
	return []rule.Finding{f.In("reported"), f.In("one-effect"), f.In("resolves")}
}

// reported judges the first answer: whoever lost the answer to a call cannot call it failed.
func reported(c rule.Case, first *history.Attempt, end rule.End) rule.Finding {
	switch class := c.Class(first); {
	case class == contract.Refused, class == contract.Mismatch:
		return rule.Fail(verdict.Strong, "answered %s, as a known failure, although downstream had booked it", c.Says(first))
	case c.Succeeded(first) && end.How == rule.Vanished:
		return rule.Fail(verdict.Strong, "%s: %s", end.How, end.Detail)
	case c.Succeeded(first):
		return rule.NotAssessed("answered %s: the target's success does not depend on the answer from downstream", c.Says(first))
	}
	return rule.Pass(verdict.Strong, "the first attempt ended %s", c.Says(first))
}

func bookedOnce(end rule.End) rule.Finding {
	switch end.How {
	case rule.Duplicated, rule.Vanished, rule.Confused:
		return rule.Fail(verdict.Strong, "%s: %s", end.How, end.Detail)
	case rule.Unread:
		return rule.Inconclusive(verdict.Environment, "%s", end.Detail)
	}
	return rule.Pass(verdict.Strong, "%s", end.Detail)
}

// resolves judges what becomes of it when downstream can be asked again.
func resolves(c rule.Case, first *history.Attempt, end rule.End) rule.Finding {
	switch {
	case c.Succeeded(first):
		return rule.NotAssessed("the first attempt was answered %s", c.Says(first))
	case end.How == rule.Open || end.How == rule.Denied:
		if c.Contract.Recovery.StuckAllowed {
			return rule.Pass(verdict.Strong, "stuck but safe, as declared: %s", end.Detail)
		}
		if end.Effects == 1 && c.Contract.Fidelity.OnlyEffect() {
			return rule.Pass(verdict.Strong, "%s; the contract promises no more than the effect", end.Detail)
		}
		return rule.Fail(verdict.Strong, "downstream answers again, and the operation still has no result: %s", end.Detail)
	case end.How == rule.Unread:
		return rule.Inconclusive(verdict.Environment, "%s", end.Detail)
	}
	return rule.Pass(verdict.Strong, "%s", end.Detail)
}
