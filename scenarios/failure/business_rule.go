package failure

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func businessRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	switch {
	case first == nil:
		return one(rule.Inconclusive(verdict.Harness, "the payload was not sent"))
	case c.Undecided(first) != "":
		return one(rule.Inconclusive(verdict.Environment, "the refused payload %s", c.Undecided(first)))
	case first.Answer.Status < 400 || first.Answer.Status > 499:
		return one(rule.Inconclusive(verdict.Environment, "sample refused was answered %s, where a refusal is wanted", c.Says(first)))
	}
	some, unread := rule.AtMost(h, first.Intent, 0, history.Resource, history.Ledger)
	if some != "" {
		return one(rule.Fail(verdict.Strong, "refused with %s, but %s", c.Says(first), some))
	}
	asked := 0
	for _, a := range h.Attempts("retry") {
		switch {
		case c.Undecided(a) != "" || c.Class(a) == contract.InFlightAnswer:
			continue // it is told to come back, and the one that comes back counts
		case c.Succeeded(a):
			return one(rule.Fail(verdict.Strong, "refused with %s, and then accepted: %s", c.Says(first), c.Says(a)))
		case !sameFailure(c, first, a):
			return one(rule.Fail(verdict.Strong, "refused with %s, and then otherwise: %s", c.Says(first), c.Says(a)))
		}
		asked++
	}
	switch {
	case asked == 0:
		return one(rule.Inconclusive(verdict.Environment, "no retry was answered: %s", c.Says(h.Last("retry"))))
	case unread != "" && h.Has("state"):
		return one(rule.Inconclusive(verdict.Environment, "%s", unread))
	}
	return one(rule.Pass(verdict.Strong, "refused with %s, and answered the same %s", c.Says(first), rule.Plural(asked, "more time")))
}
