package replay

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// noDownstream: a replay sends nothing downstream, whether or not it would be booked there; lookups are harmless. One
// execution may send late, so the number of calls is compared with those of a write that was never retried.
func noDownstream(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken
	}
	proof, sent := sentAgain(h, first)
	before, _ := calls(h, first.Intent, "first")
	after, unread := calls(h, first.Intent)
	usual := 0
	if once := h.First("once"); once != nil {
		usual, _ = calls(h, once.Intent)
	}
	switch allowed := max(before, usual); {
	case after > allowed:
		return one(rule.Fail(proof, "one execution makes %s downstream; after the retries there were %d", rule.Plural(allowed, "call"), after))
	case unread != "":
		return one(rule.Inconclusive(verdict.Environment, "the gate's ledger could not be read: %s", unread))
	case proof == verdict.None:
		return one(rule.Inconclusive(verdict.Environment, "no retry was answered"))
	case allowed == 0:
		return one(rule.Inconclusive(verdict.Environment, "the target did not call downstream at all"))
	}
	return one(rule.Pass(proof, "%s downstream, none of them by %d retries", rule.Plural(after, "call"), sent))
}

// calls counts the calls of an intent that asked for something to be done, at the moments (none = all; the most counts).
func calls(h *history.History, intent string, moments ...string) (most int, unread string) {
	unread = "it was not read"
	for _, o := range h.Observations(intent, moments...) {
		if o.Kind != history.Ledger {
			continue
		}
		if unread = o.Error; unread != "" {
			continue
		}
		n := 0
		for _, call := range o.Calls {
			if !call.Lookup {
				n++
			}
		}
		most = max(most, n)
	}
	return most, unread
}
