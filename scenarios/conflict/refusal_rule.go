package conflict

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// declared is what the contract promises for a changed payload. Without a fingerprint it cannot be told from the first.
func declared(c contract.Contract) string {
	if c.Fingerprint.Mode == contract.ModeNone && c.Mismatch.Action != contract.ActionExecute {
		return contract.ActionReplay
	}
	return c.Mismatch.Action
}

// refused: the same key with a changed payload is refused as declared. That it is refused is a must; with which status is
// contested among those who offer keys, so that another one than declared is a warning. Only the first conflict under a key
// counts here: what a second one is answered is a question of its own.
func refused(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken
	}
	attempts := conflicts(c, h)
	if len(attempts) == 0 {
		return one(rule.Inconclusive(verdict.Harness, "no changed payload was sent"))
	}
	var all []rule.Finding
	for _, a := range attempts {
		if a.Label == "changed" {
			all = append(all, refusal(c, h, a))
		}
	}
	return all
}

// conflicts are the changed payloads whose answer counts: not those that were told to come back and did.
func conflicts(c rule.Case, h *history.History) []*history.Attempt {
	all := h.Attempts("changed", "changed-again")
	var counted []*history.Attempt
	for i, a := range all {
		again := i+1 < len(all) && all[i+1].Intent == a.Intent && all[i+1].Label == "changed"
		if c.Class(a) != contract.InFlightAnswer || !again {
			counted = append(counted, a)
		}
	}
	return counted
}

// refusal judges one answer to a changed payload under a used key.
func refusal(c rule.Case, h *history.History, a *history.Attempt) rule.Finding {
	if why := c.Undecided(a); why != "" {
		return rule.Inconclusive(verdict.Environment, "the changed payload %s", why)
	}
	proof := rule.ProofOf(a)
	admitted := c.Contract.Refuses(contract.OnMismatch, a.Exchange())
	switch action := declared(c.Contract); {
	case c.Succeeded(a) && action == contract.ActionRefuse:
		return rule.Fail(proof, "the changed payload was answered %s%s", c.Says(a), like(c, h, a))
	case c.Succeeded(a) && action == "":
		return rule.NotAssessed("the contract leaves open what a changed payload is answered; it was %s%s", c.Says(a), like(c, h, a))
	case c.Succeeded(a):
		return rule.NotAssessed("the contract does not refuse a changed payload (mismatch: %s); it was answered %s%s", action, c.Says(a), like(c, h, a))
	case c.Class(a) == contract.Failed && !admitted:
		return rule.Fail(proof, "the changed payload was answered %s, which is no refusal", c.Says(a))
	}
	if why := uncontrolled(c, h); why != "" {
		return rule.Inconclusive(verdict.Environment, "%s", why)
	}
	switch action := declared(c.Contract); {
	case action == contract.ActionReplay, action == contract.ActionExecute:
		return rule.Fail(proof, "the contract declares mismatch: %s; the changed payload was refused with %s", action, c.Says(a)).Should()
	case !admitted && a.Answer.Body.Truncated && c.Contract.Mismatch.Code != "":
		return rule.Inconclusive(verdict.Harness, "the refusal %s is too long to look for the code %s in it", c.Says(a), c.Contract.Mismatch.Code)
	case !admitted:
		return rule.Fail(proof, "the changed payload was refused, but with %s where %s is declared; where that is meant, declare contract.mismatch.statuses", c.Says(a), c.Contract.Mismatch.Refusals()).Should()
	}
	return rule.Pass(proof, "the changed payload was refused with %s", c.Says(a))
}

// like says whose answer a success is, as far as that can be told.
func like(c rule.Case, h *history.History, a *history.Attempt) string {
	for _, first := range h.Attempts("first") {
		if first.Intent != a.Intent || first.Answer == nil {
			continue
		}
		if likeness, _ := rule.CompareBodies(first.Answer.Body, a.Answer.Body, c.Contract.Volatile); likeness == rule.Alike {
			return " with the first one's answer"
		}
	}
	return ""
}

// uncontrolled says why a refusal proves nothing: the same payload was not accepted under a fresh key either.
func uncontrolled(c rule.Case, h *history.History) string {
	control := h.First("control")
	if why := c.Undecided(control); why != "" {
		return "the control under a fresh key " + why
	}
	if !c.Succeeded(control) {
		return fmt.Sprintf("the changed payload was answered %s under a fresh key too: it may be invalid anyway", c.Says(control))
	}
	return ""
}

// repeatable: the same conflict again gives the same refusal.
func repeatable(c rule.Case, h *history.History) []rule.Finding {
	again := h.First("changed-again")
	if again == nil {
		return one(rule.Inconclusive(verdict.Environment, "no conflict was repeated"))
	}
	var before *history.Attempt
	for _, a := range conflicts(c, h) {
		if a.Label == "changed" && a.Intent == again.Intent {
			before = a
		}
	}
	for _, a := range []*history.Attempt{before, again} {
		if why := c.Undecided(a); why != "" {
			return one(rule.Inconclusive(verdict.Environment, "a changed payload %s", why))
		}
	}
	proof := rule.ProofOf(before, again)
	switch {
	case c.Succeeded(before):
		return one(rule.NotAssessed("the changed payload was answered %s, so that there is no refusal to repeat", c.Says(before)))
	case c.Succeeded(again):
		return one(rule.Fail(proof, "the changed payload was answered %s, and then %s", c.Says(before), c.Says(again)))
	}
	if why := uncontrolled(c, h); why != "" {
		return one(rule.Inconclusive(verdict.Environment, "%s", why))
	}
	if before.Answer.Status != again.Answer.Status || c.Class(before) != c.Class(again) {
		return one(rule.Fail(proof, "the changed payload was answered %s, and then %s", c.Says(before), c.Says(again)))
	}
	return one(rule.Pass(proof, "both times it was answered %s", c.Says(again)))
}

func one(f rule.Finding) []rule.Finding { return []rule.Finding{f} }
