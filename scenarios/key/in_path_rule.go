package key

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// inPathRule: where the identity is in the path, repeating the request makes one effect, side effects included. What the
// repetition is answered is left open: 200 after 201, and 404 after a deletion, are right.
func inPathRule(c rule.Case, h *history.History) []rule.Finding {
	first, retries := h.First("first"), h.Attempts("retry")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken
	}
	proof := verdict.None
	for _, r := range retries {
		if p := rule.ProofOf(first, r); p == verdict.Strong || proof == verdict.None {
			proof = p
		}
	}
	problem, unread := rule.Exactly(h, first.Intent, 1)
	switch {
	case problem != "":
		return []rule.Finding{rule.Fail(proof, "the request was sent %d times: %s", 1+len(retries), problem)}
	case unread != "":
		return []rule.Finding{rule.Inconclusive(verdict.Environment, "%s", unread)}
	case proof == verdict.None:
		return []rule.Finding{rule.Inconclusive(verdict.Environment, "no repetition was answered")}
	}
	return []rule.Finding{rule.Pass(proof, "the request was sent %d times and had the effect of one", 1+len(retries))}
}
