package failure

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func handlerCrashRule(c rule.Case, h *history.History) []rule.Finding {
	first, retry := h.First("first"), h.Last("retry")
	if first == nil || retry == nil {
		return one(rule.Inconclusive(verdict.Harness, "the payload that breaks the handler was not sent twice"))
	}
	brokeOff := first.Outcome == history.Lost && first.Link.RequestWhole
	if !brokeOff && (first.Answer == nil || first.Answer.Status < 500) {
		return one(rule.Inconclusive(verdict.Environment, "sample crash was answered %s, where a 5xx is wanted", c.Says(first)))
	}
	state := ""
	for _, s := range h.Statuses("after") {
		state = s.State
	}
	// A value moves by what the payload says, which is another one than that of the steady state.
	tooMany, _ := rule.AtMost(h, first.Intent, 1, history.Resource, history.Ledger)
	said := c.Says(first) + ", then " + c.Says(retry)
	switch {
	case tooMany != "":
		return one(rule.Fail(verdict.Strong, "the handler broke after its effect, and the retry made another: %s", tooMany))
	case !retry.Link.Reached:
		return one(rule.Inconclusive(verdict.Environment, "the retry did not reach the target: %s", retry.Reason))
	case silent(first, retry) && state != history.Failed && state != history.UnknownDone:
		return one(unanswered(h, first, said))
	case c.Class(retry) != contract.InFlightAnswer:
		return one(rule.Pass(verdict.Strong, "the key stayed usable: %s", said))
	case state == history.Failed || state == history.UnknownDone:
		return one(rule.Pass(verdict.Strong, "%s, but its state reads %s", said, state))
	}
	return one(rule.Fail(verdict.Strong, "the key was left in flight: %s", said))
}

// unanswered judges a retry that was not answered. One may be lost by chance; all of them wait for a key that nobody frees.
func unanswered(h *history.History, first *history.Attempt, said string) rule.Finding {
	retries := h.Attempts("retry")
	for _, a := range retries {
		if !silent(first, a) {
			return rule.Inconclusive(verdict.Environment, "a retry got no answer: %s", said)
		}
	}
	if len(retries) < 2 {
		return rule.Inconclusive(verdict.Environment, "the retry got no answer: %s", said)
	}
	return rule.Fail(verdict.Strong, "the key was left unusable: none of %d retries was answered (%s)", len(retries), said)
}
