package replay

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// afterChangeRule: after the resource changed, a replay gives the stored answer where the declared fidelity promises it,
// and any answer about the same resource where it does not. It never makes a second effect.
func afterChangeRule(c rule.Case, h *history.History) []rule.Finding {
	first, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	alter := altered(h)
	if broken := c.NoResult("the request that changes the resource", alter); broken != nil {
		return broken
	}
	proof := rule.ProofOf(first, alter, retry)
	problem, unread := rule.AtMost(h, first.Intent, 1, history.Resource)
	if unread == "" {
		unread = rule.Stale(h, retry, history.Resource)
	}
	switch {
	case problem != "":
		return one(rule.Fail(proof, "after a change and a retry %s", problem))
	case c.Class(retry) == contract.Failed:
		return one(rule.Fail(proof, "after a change the retry was answered %s", c.Says(retry)))
	}
	f := open(c, "answer", retry)
	switch {
	case c.Contract.Fidelity.CoversBody():
		f = storedAnswer(c, first, retry, proof)
	case c.Contract.Fidelity == contract.FidelityResource:
		f = sameResource(c, h, first, retry)
	}
	if f.Outcome != verdict.Fail && unread != "" && h.Has("resource") {
		return one(rule.Inconclusive(verdict.Environment, "%s", unread)) // that it made no second effect is half of the clause
	}
	return one(f)
}

func storedAnswer(c rule.Case, first, retry *history.Attempt, proof verdict.Proof) rule.Finding {
	if first.Answer.Status != retry.Answer.Status {
		return rule.Fail(proof, "the contract promises the stored answer %d; after a change the retry was answered %s", first.Answer.Status, c.Says(retry))
	}
	switch likeness, where := rule.CompareBodies(first.Answer.Body, retry.Answer.Body, c.Contract.Volatile); likeness {
	case rule.Unlike:
		return rule.Fail(proof, "the contract promises the stored answer; after a change %s", where)
	case rule.Incomplete:
		return rule.Inconclusive(verdict.Harness, "%s", where)
	}
	return rule.Pass(proof, "the retry was given the stored answer")
}

// altered is the attempt that changed the resource: the one in between that is neither first nor retry.
func altered(h *history.History) *history.Attempt {
	for _, a := range h.Attempts() {
		if a.Label != "first" && a.Label != "retry" {
			return a
		}
	}
	return nil
}
