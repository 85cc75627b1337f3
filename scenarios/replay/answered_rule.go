package replay

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
)

// patience is how many retries must have been answered, all with a 5xx, to call it the target's way of answering them.
const patience = 3

// answered: the retry of a completed operation is answered. One that is refused although its result is promised, told for ever
// that the first still runs, or only ever met with a 5xx, tells its caller nothing.
func answered(c rule.Case, h *history.History) []rule.Finding {
	if f, never := neverAnswered(c, h); never {
		return one(f)
	}
	first, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	proof := rule.ProofOf(first, retry)
	switch {
	case c.Class(retry) == contract.InFlightAnswer && c.Contract.Fidelity.OnlyEffect():
		return one(open(c, "answer", retry))
	case c.Class(retry) == contract.InFlightAnswer:
		return one(rule.Fail(proof, "the first attempt was answered %s, but each of its %d retries was told to wait: the last was answered %s",
			c.Says(first), len(h.Attempts("retry")), c.Says(retry)))
	case c.Contract.Fidelity.CoversBody() && !c.Succeeded(retry) && c.Class(retry) != contract.Failed:
		return one(rule.Fail(proof, "the first attempt was answered %s, but its retry was refused with %s", c.Says(first), c.Says(retry)))
	}
	return one(rule.Pass(proof, "the retry was answered %s", c.Says(retry)))
}

// neverAnswered: one lost retry proves nothing, but a target that meets every retry with a 5xx has no replay.
func neverAnswered(c rule.Case, h *history.History) (rule.Finding, bool) {
	first, all := h.First("first"), h.Attempts("retry", "again")
	if c.NoResult("the first attempt", first) != nil || len(all) < patience {
		return rule.Finding{}, false
	}
	for _, a := range all {
		if a.Outcome != history.Answered || a.Answer == nil || a.Replaced || a.Answer.Status < 500 {
			return rule.Finding{}, false
		}
	}
	return rule.Fail(rule.ProofOf(append(all, first)...), "the first attempt was answered %s, each of its %d retries with a 5xx, the last %s",
		c.Says(first), len(all), c.Says(all[len(all)-1])), true
}
