package conflict

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// afterFailureRule: a changed payload after a failed first attempt is refused, or executed where the contract frees the key of a
// failed write. It never hides as a replay of the other one, and at most one of the two is executed.
func afterFailureRule(c rule.Case, h *history.History) []rule.Finding {
	first, changed, original := h.First("first"), h.First("changed"), h.First("original")
	switch {
	case first == nil || first.Outcome == history.Unsent:
		return one(rule.Inconclusive(verdict.Environment, "the first attempt %s", c.Undecided(first)))
	case c.Succeeded(first):
		return one(rule.NotAssessed("the first attempt was answered %s although its downstream call failed", c.Says(first)))
	case !failedDownstream(h, first.Intent):
		return one(rule.Inconclusive(verdict.Environment, "the first attempt was answered %s, but no downstream call of it was failed", c.Says(first)))
	case changed == nil:
		return one(rule.Inconclusive(verdict.Harness, "no changed payload was sent"))
	}
	proof := rule.ProofOf(changed)
	pair := family{h, first.Intent, changed.Intent}
	if problem := pair.tooMany(); problem != "" {
		return one(rule.Fail(proof, "after a failed first attempt a changed payload was answered %s and the first again %s: %s", c.Says(changed), c.Says(original), problem))
	}
	if why := c.Undecided(changed); why != "" {
		return one(rule.Inconclusive(verdict.Environment, "the changed payload %s", why))
	}
	if c.Succeeded(changed) {
		return one(accepted(c, pair, changed, original, proof))
	}
	if n, known := pair.effects(changed.Intent); known && n > 0 && !pair.twins() {
		return one(rule.Fail(proof, "the changed payload was answered %s, but it was executed", c.Says(changed)))
	}
	if why := uncontrolled(c, h); why != "" {
		return one(rule.Inconclusive(verdict.Environment, "%s", why))
	}
	admitted := c.Contract.Refuses(contract.OnMismatch, changed.Exchange()) || c.Contract.Refuses(contract.OnInFlight, changed.Exchange())
	switch {
	case !admitted && sameFailure(first, changed):
		return one(rule.Fail(proof, "the changed payload was given the first one's failure: %s", c.Says(changed)))
	case !admitted && c.Class(changed) == contract.Failed:
		return one(rule.Fail(proof, "the changed payload was answered %s, although nothing fails downstream any more", c.Says(changed)))
	}
	return one(rule.Pass(proof, "after a failed first attempt (%s) the changed payload was refused with %s", c.Says(first), c.Says(changed)))
}

// accepted judges a changed payload that was answered with a success.
func accepted(c rule.Case, pair family, changed, original *history.Attempt, proof verdict.Proof) rule.Finding {
	n, known := pair.effects(changed.Intent)
	switch {
	case declared(c.Contract) == contract.ActionReplay || declared(c.Contract) == contract.ActionExecute:
		return rule.NotAssessed("the contract does not refuse a changed payload (mismatch: %s); it was answered %s", declared(c.Contract), c.Says(changed))
	case !known:
		return rule.Inconclusive(verdict.Environment, "the changed payload was answered %s, and no probe shows which payload was executed", c.Says(changed))
	case n == 0:
		return rule.Fail(proof, "the changed payload was answered %s, but it was not executed: that is an answer to the first one", c.Says(changed))
	case c.Contract.Stored.ServerErrors == "yes" || c.Contract.FailedRetry == contract.ActionReplay || c.Contract.FailedRetry == "resume":
		return rule.Fail(proof, "the contract keeps the key of a failed write (stored.5xx: %s, failed_retry: %s); the changed payload was executed, answered %s",
			orNone(c.Contract.Stored.ServerErrors), orNone(c.Contract.FailedRetry), c.Says(changed))
	case c.Succeeded(original):
		if own, known := pair.effects(original.Intent); pair.twins() || known && own == 0 {
			return rule.Fail(proof, "the changed payload was executed; the first one, sent again, was answered %s without an effect of its own", c.Says(original))
		}
	}
	return rule.Pass(proof, "the failed first attempt left its key free; the changed payload was executed once, the first one then answered %s", c.Says(original))
}

func orNone(word string) string {
	if word == "" {
		return "unspecified"
	}
	return word
}

// sameFailure tells whether two failures are one: the same status and body.
func sameFailure(a, b *history.Attempt) bool {
	if a.Answer == nil || b.Answer == nil || a.Answer.Status != b.Answer.Status || a.Answer.Body.Length == 0 {
		return false
	}
	likeness, _ := rule.CompareBodies(a.Answer.Body, b.Answer.Body, nil)
	return likeness == rule.Alike
}

// failedDownstream tells whether a downstream call of the intent was failed on purpose.
func failedDownstream(h *history.History, intent string) bool {
	for _, f := range h.Faults("fail-downstream") {
		if f.Landed && (f.Intent == "" || f.Intent == intent) {
			return true
		}
	}
	for _, o := range h.Observations(intent) {
		for _, call := range o.Calls {
			if call.Status >= 500 {
				return true
			}
		}
	}
	return false
}

// family is a write and the other one under its key.
type family struct {
	h            *history.History
	first, other string // intents
}

// twins tells whether the two share their markers, so that the state does not tell them apart.
func (f family) twins() bool {
	if f.first == f.other {
		return true
	}
	in := f.h.Intent(f.other)
	return in != nil && in.TwinOf != ""
}

// effects counts an intent's effects, by resources where those are seen.
func (f family) effects(intent string) (n int, known bool) {
	for _, kind := range []string{history.Resource, history.Ledger, history.Value} {
		for _, t := range rule.Tallies(f.h, intent) {
			if t.Kind == kind && t.Unread == "" {
				n, known = max(n, t.Most), true
			}
		}
		if known {
			return n, true
		}
	}
	return 0, false
}

// tooMany says where the two have more than one effect together.
func (f family) tooMany() string {
	if problem, _ := rule.AtMost(f.h, f.first, 1); problem != "" {
		return problem
	}
	if f.twins() {
		return ""
	}
	if problem, _ := rule.AtMost(f.h, f.other, 1); problem != "" {
		return problem
	}
	for _, a := range rule.Tallies(f.h, f.first) {
		for _, b := range rule.Tallies(f.h, f.other) {
			if a.Probe == b.Probe && a.Most+b.Most > 1 {
				return fmt.Sprintf("%s shows an effect of each", a.Probe)
			}
		}
	}
	return ""
}
