package fingerprint

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// Kind is what a target does wrong with a pair.
type Kind string

// The kinds.
const (
	FalseReplay     Kind = "false replay"
	FalseRefusal    Kind = "false refusal"
	DoubleExecution Kind = executed
	Overwritten     Kind = "original lost" // a changed request was refused, and took the original's record with it
)

// KindOf tells what a history of A and B shows that the rewrite's class does not allow; empty: nothing. Whether B would have
// been valid, and whether both mean the same after all, is for Judge to say.
func KindOf(promised contract.Contract, h *history.History) Kind {
	if h.Rewrite == nil {
		return ""
	}
	c := caseOf(promised, h)
	r, known := rewrite.Find(h.Rewrite.ID)
	a, b := h.First("first"), h.First("rewritten")
	if !known || a == nil || b == nil || c.Undecided(a) != "" || !c.Succeeded(a) || c.Undecided(b) != "" {
		return ""
	}
	mayReplay, mayRefuse, mayExecute := r.ClassUnder(promised).Allowed()
	problem, unread := effects(h, a.Intent)
	switch success := c.Succeeded(b); {
	case problem != "" && !mayExecute:
		return DoubleExecution
	case problem != "" || unread != "":
		return ""
	case success && (!mayReplay || r.ClassUnder(promised) == rewrite.Undeclared):
		return FalseReplay
	case !success && !mayRefuse:
		return FalseRefusal
	}
	return ""
}

// lostOriginal tells whether A replayed before a refused B, and was refused after it.
func lostOriginal(promised contract.Contract, h *history.History) Kind {
	c := caseOf(promised, h)
	succeeded := func(label string) bool {
		a := h.First(label)
		return a != nil && c.Undecided(a) == "" && c.Succeeded(a)
	}
	b, again := h.First("rewritten"), h.First("again")
	if !succeeded("first") || !succeeded("before") || b == nil || again == nil {
		return ""
	}
	if c.Undecided(b) != "" || c.Succeeded(b) || c.Undecided(again) != "" || c.Succeeded(again) {
		return ""
	}
	return Overwritten
}
