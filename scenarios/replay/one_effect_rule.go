package replay

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// oneEffect: the same request sent again changes nothing. What the target says does not count here, only its state.
func oneEffect(c rule.Case, h *history.History) []rule.Finding {
	parts := []struct{ part, kind, missing string }{
		{"resource", history.Resource, "no probe of the operation counts resources"},
		{"value", history.Value, "no probe of the operation reads a value that moves"},
		{"downstream", history.Ledger, "the operation does not call downstream through the gate"},
	}
	var all []rule.Finding
	for _, p := range parts {
		all = append(all, oneEffectBy(c, h, p.kind, p.missing).In(p.part))
	}
	return all
}

func oneEffectBy(c rule.Case, h *history.History, kind, missing string) rule.Finding {
	first := h.First("first")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken[0]
	}
	if !sees(h, first.Intent, kind) {
		return rule.NotAssessed("%s", missing)
	}
	proof, sent := sentAgain(h, first)
	want := 1
	if kind == history.Ledger {
		want = max(1, bookings(h))
	}
	problem, unread := rule.Exactly(h, first.Intent, want, kind)
	switch {
	case problem != "":
		return rule.Fail(proof, "the request was sent %d times: %s", 1+sent, problem)
	case unread != "":
		return rule.Inconclusive(verdict.Environment, "%s", unread)
	case proof == verdict.None:
		return rule.Inconclusive(verdict.Environment, "no retry was answered")
	case rule.Stale(h, lastRetry(h), kind) != "":
		return rule.Inconclusive(verdict.Environment, "%s", rule.Stale(h, lastRetry(h), kind))
	}
	return rule.Pass(proof, "the request was sent %d times and had the effect of one", 1+sent)
}

// lastRetry is the last attempt that the target's state is read after. The late one comes when others may have acted.
func lastRetry(h *history.History) *history.Attempt {
	if again := h.Attempts("retry", "again"); len(again) > 0 {
		return again[len(again)-1]
	}
	return nil
}

// sentAgain counts the retries that left, and says how well it is shown that at least one was put to the target.
func sentAgain(h *history.History, first *history.Attempt) (proof verdict.Proof, sent int) {
	proof = verdict.None
	for _, r := range h.Attempts("retry", "again", "late") {
		if p := rule.ProofOf(first, r); p == verdict.Strong || proof == verdict.None {
			proof = p
		}
		if r.Outcome != history.Unsent {
			sent++
		}
	}
	return proof, sent
}

func sees(h *history.History, intent, kind string) bool {
	for _, t := range rule.Tallies(h, intent) {
		if t.Kind == kind {
			return true
		}
	}
	return false
}

// bookings counts what one execution books downstream: an authorisation and a notice are two bookings of one write.
func bookings(h *history.History) int {
	once, most := h.First("once"), 0
	if once == nil {
		return 0
	}
	for _, t := range rule.Tallies(h, once.Intent) {
		if t.Kind == history.Ledger {
			most = max(most, t.Most)
		}
	}
	return most
}
