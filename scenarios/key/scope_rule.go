package key

import (
	"slices"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// otherPrincipal: the same key from another principal is its own operation, or refused where the declared scope is global, and
// never receives the first one's answer, also while the first one is at work.
func otherPrincipal(c rule.Case) []rule.Finding {
	findings := append(trial("principal", foreignPrincipal)(c), trial("principal-own", foreignPrincipal)(c)...)
	against, says := principalsTogether(c)
	for i := range findings {
		if findings[i].Outcome == verdict.Pass {
			findings[i].Detail += says
		}
	}
	return append(findings, against...)
}

func foreignPrincipal(c rule.Case, h *history.History) rule.Finding {
	first, other, control := h.First("first"), h.First("other-principal"), h.First("control")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken[0]
	}
	if other == nil {
		return rule.NotAssessed("the other principal's setup was refused")
	}
	if why := c.Undecided(other); why != "" {
		return rule.Inconclusive(verdict.Environment, "the other principal's attempt %s", why)
	}
	proof := rule.ProofOf(first, other)
	own, readable := rule.Grew(h, other.Intent, "idle", "after")
	fresh, common := h.First("fresh"), control // what the first one's answer is compared with
	own = own || late(c, h, other, fresh)
	if fresh != nil {
		common = fresh
	}
	if how := c.GivesAway(h, first, common, other); how != "" && !own {
		return rule.Fail(proof, "another principal used the key and was answered %s: %s", c.Says(other), how)
	}
	if broken := c.NoResult("the control, the other principal's write under a key of its own,", control); broken != nil {
		return broken[0]
	}
	visible := effects(h, control.Intent) > 0
	switch {
	case c.Succeeded(other) && own:
		return rule.Pass(proof, "another principal's write under the same key was its own operation")
	case c.Succeeded(other) && readable && visible:
		return rule.Fail(proof, "another principal's write under the same key was answered %s, but nothing was executed for it", c.Says(other))
	case c.Succeeded(other):
		return rule.NotAssessed("another principal's write was answered %s; the probes do not show what that principal writes", c.Says(other))
	case c.Class(other) == contract.Failed:
		return rule.Fail(proof, "another principal's write under the same key was answered %s", c.Says(other))
	case own:
		return rule.Fail(proof, "another principal's write under the same key was refused with %s, but it was executed", c.Says(other))
	case fresh != nil && c.Undecided(fresh) == "" && !c.Succeeded(fresh):
		return rule.NotAssessed("the other principal may not send this payload at all: under a fresh key it was answered %s", c.Says(fresh))
	case slices.Contains(c.Contract.Scope, contract.Account):
		return rule.Fail(proof, "keys are declared to be an account's own; another principal's write under the same key was refused with %s", c.Says(other))
	case len(c.Contract.Scope) > 0:
		return rule.Pass(proof, "another principal's write under the same key was refused with %s, as the declared scope allows", c.Says(other))
	}
	return rule.Pass(proof, "the contract declares no scope; another principal's write under the same key was refused with %s", c.Says(other))
}

// late tells whether the last count shows the other principal's write after all: a list that is behind does not show it right
// after. The same payload under a fresh key is in that count as well, unless it was refused.
func late(c rule.Case, h *history.History, other, fresh *history.Attempt) bool {
	by, _ := rule.Growth(h, other.Intent, "idle", "final")
	if fresh != nil && (c.Undecided(fresh) != "" || c.Succeeded(fresh)) {
		by--
	}
	return by > 0
}

// effects is the most that any probe shows of an intent.
func effects(h *history.History, intent string) (most int) {
	for _, t := range rule.Tallies(h, intent) {
		most = max(most, t.Most)
	}
	return most
}

// otherOperation: the same key on another operation follows the declared scope, and never receives the other operation's
// result as its own. Whether the two share a key is contested, so that the other way than declared is a warning.
func otherOperation(c rule.Case) []rule.Finding { return trial("operation", foreignOperation)(c) }

func foreignOperation(c rule.Case, h *history.History) rule.Finding {
	first, other, control := h.First("first"), h.First("other-operation"), h.First("control")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken[0]
	}
	if why := c.Undecided(other); why != "" {
		return rule.Inconclusive(verdict.Environment, "the other operation's attempt %s", why)
	}
	proof := rule.ProofOf(first, other)
	if how := c.GivesAway(h, first, control, other); how != "" {
		return rule.Fail(proof, "another operation under the same key was answered %s: %s", c.Says(other), how)
	}
	if broken := c.NoResult("the control, that operation under a key of its own,", control); broken != nil {
		return broken[0]
	}
	promise := sharing(c.Contract, h)
	done := effects(h, other.Intent)
	if c.Succeeded(other) {
		return foreignSuccess(c, h, other, control, promise, proof)
	}
	switch {
	case done > 0:
		return rule.Fail(proof, "another operation under the same key was refused with %s, but it was executed", c.Says(other))
	case c.Class(other) == contract.Failed && !c.Contract.Refuses(contract.OnOtherOperation, other.Exchange()):
		return rule.Fail(proof, "another operation under the same key was answered %s", c.Says(other))
	case promise == contract.ActionIndependent:
		return rule.Fail(proof, "another operation under the same key is declared to be independent; it was refused with %s", c.Says(other)).Should()
	case promise == contract.ActionRefuse && !c.Contract.Refuses(contract.OnOtherOperation, other.Exchange()):
		return rule.Fail(proof, "another operation under the same key was refused with %s, not as declared: %s", c.Says(other), c.Contract.OtherOperation.Refusals()).Should()
	}
	return rule.Pass(proof, "another operation under the same key was refused with %s", c.Says(other))
}

func foreignSuccess(c rule.Case, h *history.History, other, control *history.Attempt, promise string, proof verdict.Proof) rule.Finding {
	problem, _ := rule.Exactly(h, other.Intent, 1)
	switch seen := effects(h, control.Intent) > 0; {
	case seen && problem != "":
		return rule.Fail(proof, "another operation under the same key was answered %s: %s", c.Says(other), problem)
	case promise == contract.ActionRefuse:
		return rule.Fail(proof, "another operation under the same key is declared to be refused; it was answered %s", c.Says(other)).Should()
	case !seen:
		return rule.Pass(verdict.Weak, "another operation under the same key was answered %s, with a result of its own as far as the answer tells", c.Says(other))
	}
	return rule.Pass(proof, "another operation under the same key was its own")
}

// sharing is what the contract promises for the same key on another operation: its own word, or what its scope says.
func sharing(c contract.Contract, h *history.History) string {
	if c.OtherOperation.Action != "" {
		return c.OtherOperation.Action
	}
	first, other := h.First("first").Request, h.First("other-operation").Request
	if slices.Contains(c.Scope, contract.Route) && path(first.URL) != path(other.URL) || slices.Contains(c.Scope, contract.Method) && first.Method != other.Method {
		return contract.ActionIndependent
	}
	return ""
}
