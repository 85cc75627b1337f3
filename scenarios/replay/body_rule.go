package replay

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
)

// large is the length from which an answer's body counts as a large one, in bytes.
const large = 1 << 20

// noBody: answers without a body replay too. A target whose store keeps only bodies forgets such answers, or never completes
// the operation.
func noBody(c rule.Case, h *history.History) []rule.Finding {
	first, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	empty := first.Answer.Body.Length == 0
	if !empty && first.Answer.Status != 202 && first.Answer.Status != 204 {
		return one(rule.NotAssessed("the first attempt was answered %d with a body", first.Answer.Status))
	}
	proof := rule.ProofOf(first, retry)
	switch {
	case c.Succeeded(retry) && empty && retry.Answer.Body.Length > 0 && c.Contract.Fidelity.CoversBody():
		return one(rule.Fail(proof, "the first answer had no body, the retry's has %d bytes", retry.Answer.Body.Length))
	case c.Succeeded(retry):
		return one(rule.Pass(proof, "the retry was answered %s", c.Says(retry)))
	case c.Class(retry) != contract.Failed && !c.Contract.Fidelity.CoversBody():
		return one(open(c, "status", retry))
	}
	return one(rule.Fail(proof, "the first attempt was answered %d, its retry %s", first.Answer.Status, c.Says(retry)))
}

// largeBody: a large answer replays whole, or its duplicate is refused; it is not executed again.
func largeBody(c rule.Case, h *history.History) []rule.Finding {
	first, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	if first.Answer.Body.Length <= large {
		return one(rule.NotAssessed("the first answer has %d bytes, no more than 1 MiB", first.Answer.Body.Length))
	}
	proof := rule.ProofOf(first, retry)
	if problem, _ := rule.AtMost(h, first.Intent, 1, history.Resource, history.Value); problem != "" {
		return one(rule.Fail(proof, "%s", problem))
	}
	switch {
	case c.Class(retry) == contract.Failed:
		return one(rule.Fail(proof, "the retry was answered %s", c.Says(retry)))
	case !c.Succeeded(retry):
		return one(rule.Pass(proof, "the retry was refused: %s", c.Says(retry)))
	case !c.Contract.Fidelity.CoversBody():
		return one(open(c, "body", retry))
	}
	if likeness, where := rule.CompareBodies(first.Answer.Body, retry.Answer.Body, nil); likeness == rule.Unlike {
		if len(c.Contract.Volatile) == 0 || retry.Answer.Body.Length < first.Answer.Body.Length/2 {
			return one(rule.Fail(proof, "%s", where))
		}
		return one(rule.Pass(proof, "%d bytes replayed, first %d; volatile fields are too deep in to be left out", retry.Answer.Body.Length, first.Answer.Body.Length))
	}
	return one(rule.Pass(proof, "all %d bytes replayed", first.Answer.Body.Length))
}
