package key

import (
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// malformed: a malformed key is refused or ignored as declared, never with a 5xx, and a refused one has no effect. The part is
// the trial's name.
func malformed(c rule.Case) []rule.Finding {
	return rule.Each(func(c rule.Case, h *history.History) []rule.Finding {
		for _, part := range c.Requirement.Parts {
			if part.ID == h.Trial {
				return []rule.Finding{malformedKey(c, h, h.First(part.ID)).In(part.ID)}
			}
		}
		return nil
	})(c)
}

func malformedKey(c rule.Case, h *history.History, a *history.Attempt) rule.Finding {
	if why := c.Undecided(a); why != "" {
		return rule.Inconclusive(verdict.Target, "the write with the malformed key %s", why)
	}
	proof := rule.ProofOf(a)
	what := fmt.Sprintf("a write under a malformed key (%s)", a.Label)
	if c.Class(a) == contract.Failed {
		return rule.Fail(proof, "%s was answered %s", what, c.Says(a))
	}
	if problem, _ := rule.AtMost(h, a.Intent, 1); problem != "" {
		return rule.Fail(proof, "%s was answered %s: %s", what, c.Says(a), problem)
	}
	opaque := a.Label == unbalanced && c.Contract.Key.Encoding == "" // for all that is declared, the quotation mark is part of the key
	if _, err := c.Contract.DecodeKey(fields(a, c.Contract.Name)); err == nil || opaque {
		return rule.Pass(proof, "under the contract this key (%s) is not malformed; it was answered %s", a.Label, c.Says(a))
	}
	action := c.Contract.Malformed.Action
	if c.Succeeded(a) {
		switch {
		case action == contract.ActionRefuse:
			return rule.Fail(proof, "%s was answered %s; the contract declares that it is refused", what, c.Says(a))
		case action == contract.ActionIgnore && c.Contract.Missing.Action == contract.ActionRefuse:
			return rule.Fail(proof, "%s was answered %s; the contract declares that the key is ignored and that a write without one is refused", what, c.Says(a))
		}
		return rule.Pass(proof, "%s was answered %s, as the contract allows", what, c.Says(a))
	}
	if f, stop := refusedWithoutEffect(c, h, a, what); stop {
		return f
	}
	x := a.Exchange()
	byHTTP := a.Label == control && a.Answer.Status == 400 || a.Label == overLong && a.Answer.Status == 431
	switch {
	case byHTTP: // HTTP itself has such a request refused before the API sees it
	case action == contract.ActionAccept:
		return rule.Fail(proof, "%s was refused with %s; the contract declares that it is accepted", what, c.Says(a))
	case action == contract.ActionIgnore && c.Contract.Missing.Action == contract.ActionExecute:
		return rule.Fail(proof, "%s was refused with %s; the contract declares that the key is ignored and that a write without one is executed", what, c.Says(a))
	case action == contract.ActionIgnore && !c.Contract.Refuses(contract.OnMissing, x):
		return rule.Fail(proof, "%s was refused with %s, not like a write without a key: %s", what, c.Says(a), c.Contract.Missing.Refusals())
	case action == contract.ActionRefuse && !c.Contract.Refuses(contract.OnMalformed, x):
		return rule.Fail(proof, "%s was refused with %s, not as declared: %s", what, c.Says(a), c.Contract.Malformed.Refusals())
	}
	return rule.Pass(proof, "%s was refused with %s and had no effect", what, c.Says(a))
}

// fields are the values of the key field as they were sent.
func fields(a *history.Attempt, name string) (values []string) {
	for _, f := range a.Request.Header {
		if strings.EqualFold(f[0], name) {
			values = append(values, f[1])
		}
	}
	return values
}
