package conflict

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// inFlightRule: a changed payload while the first is in progress is refused or told to wait as declared; it never executes.
// Which of the two comes first is contested, so that the other one than declared is a warning.
func inFlightRule(c rule.Case, h *history.History) []rule.Finding {
	first, changed := h.First("first"), h.First("changed")
	if first == nil {
		return one(rule.Inconclusive(verdict.Harness, "no first attempt was sent"))
	}
	from, until, held := h.Held(first.Intent)
	if !held && c.CalledAfterwards(h, first) {
		return one(rule.NotAssessed("the target answers before its downstream call: there is no first in flight to meet"))
	}
	if !held || changed == nil {
		return one(rule.Inconclusive(verdict.Environment, "the first attempt was not held at its downstream call"))
	}
	if changed.Link.LastRequestAt == 0 || changed.Link.LastRequestAt >= until || changed.Began < from || !changed.Link.RequestWhole {
		return one(rule.Inconclusive(verdict.Environment, "the changed payload did not reach the target while the first was held"))
	}
	if broken := c.NoResult("the first attempt", first); broken != nil && !c.Succeeded(changed) {
		return broken
	}
	proof := rule.ProofOf(first, changed)
	problem, unread := rule.AtMost(h, first.Intent, 1)
	if problem != "" {
		return one(rule.Fail(proof, "a changed payload was sent while the first was in progress, answered %s: %s", c.Says(changed), problem))
	}
	if why := c.Undecided(changed); why != "" {
		return one(rule.Inconclusive(verdict.Environment, "the changed payload %s", why))
	}
	var all []rule.Finding
	if later := h.First("changed-later"); later != nil {
		all = append(all, refusal(c, h, later))
	}
	return append(all, early(c, h, changed, proof, unread))
}

// early judges the answer to the changed payload that arrived while the first was held.
func early(c rule.Case, h *history.History, changed *history.Attempt, proof verdict.Proof, unread string) rule.Finding {
	x := changed.Exchange()
	mismatch, inFlight := c.Contract.Refuses(contract.OnMismatch, x), c.Contract.Refuses(contract.OnInFlight, x)
	_, until, _ := h.Held(changed.Intent)
	waited := changed.Ended >= until
	switch action := declared(c.Contract); {
	case c.Succeeded(changed) && action == contract.ActionRefuse:
		return rule.Fail(proof, "while the first was in progress the changed payload was answered %s%s", c.Says(changed), like(c, h, changed))
	case c.Succeeded(changed):
		return rule.NotAssessed("the contract does not refuse a changed payload; it was answered %s%s", c.Says(changed), like(c, h, changed))
	case c.Class(changed) == contract.Failed && !mismatch && !inFlight:
		return rule.Fail(proof, "while the first was in progress the changed payload was answered %s", c.Says(changed))
	}
	if why := uncontrolled(c, h); why != "" {
		return rule.Inconclusive(verdict.Environment, "%s", why)
	}
	if unread != "" {
		return rule.Inconclusive(verdict.Environment, "%s", unread)
	}
	as := map[bool]string{true: "after the first had completed", false: "at once"}[waited]
	switch order := c.Contract.MismatchInFlight; {
	case order == "mismatch" && !mismatch,
		order == "in-flight" && !inFlight && !(waited && mismatch),
		!mismatch && !inFlight:
		return rule.Fail(proof, "while the first was in progress the changed payload was answered %s %s; as a mismatch the contract declares %s, as in flight %s, and to answer %s first",
			c.Says(changed), as, c.Contract.Mismatch.Refusals(), c.Contract.Refusal(contract.OnInFlight).Refusals(), map[bool]string{true: "either", false: order}[order == ""]).Should()
	}
	return rule.Pass(proof, "while the first was in progress the changed payload was answered %s %s", c.Says(changed), as)
}
