package replay

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// manyTimes: the tenth retry answers like the first. Some remember a key only until it was used once.
func manyTimes(c rule.Case, h *history.History) []rule.Finding {
	_, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	more := h.Attempts("again")
	undecided := ""
	for i, a := range more {
		if why := c.Undecided(a); why != "" {
			undecided = fmt.Sprintf("retry %d %s", i+2, why)
			continue
		}
		if differs := unlikeRetry(c, h, retry, a); differs != "" {
			return one(rule.Fail(rule.ProofOf(retry, a), "retry %d is not answered like the first retry: %s", i+2, differs))
		}
	}
	for _, a := range h.Attempts("late") {
		if c.Undecided(a) != "" {
			continue // it comes on top
		}
		if differs := unlikeRetry(c, h, retry, a); differs != "" {
			return one(rule.Fail(rule.ProofOf(retry, a), "%.1f s after the first attempt a retry is not answered like the first retry: %s", age(h, a), differs))
		}
	}
	switch {
	case undecided != "":
		return one(rule.Inconclusive(verdict.Environment, "%s", undecided))
	case len(more) == 0:
		return one(rule.Inconclusive(verdict.Harness, "only one retry was sent"))
	}
	return one(rule.Pass(rule.ProofOf(append(more, retry)...), "%d retries were all answered %d", 1+len(more), retry.Answer.Status))
}

// age is how many seconds after the first attempt of its intent another one was sent.
func age(h *history.History, a *history.Attempt) float64 {
	return float64(a.Began-h.AttemptsOf(a.Intent)[0].Began) / 1e6
}

// unlikeRetry says how an answer differs from the first retry's, as far as the declared fidelity covers it.
func unlikeRetry(c rule.Case, h *history.History, retry, a *history.Attempt) string {
	switch {
	case c.Succeeded(retry) != c.Succeeded(a), c.Class(a) == contract.Failed,
		c.Contract.Fidelity.CoversBody() && retry.Answer.Status != a.Answer.Status:
		return fmt.Sprintf("%s became %s", c.Says(retry), c.Says(a))
	case c.Contract.Fidelity.CoversBody() && c.Succeeded(a):
		if likeness, where := rule.CompareBodies(retry.Answer.Body, a.Answer.Body, c.Contract.Volatile); likeness == rule.Unlike {
			return where
		}
	case c.Contract.Fidelity == contract.FidelityResource:
		for _, id := range ids(h, retry.Intent) {
			if len(rule.Places(retry.Answer, id)) > 0 && len(rule.Places(a.Answer, id)) == 0 {
				return fmt.Sprintf("it does not name the resource %s", id)
			}
		}
	}
	return ""
}
