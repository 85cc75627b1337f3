package failure

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func validationRule(c rule.Case, h *history.History) []rule.Finding {
	first, corrected := h.First("first"), h.Last("corrected")
	switch {
	case first == nil || corrected == nil:
		return one(rule.Inconclusive(verdict.Harness, "the payloads were not sent"))
	case first.Answer == nil || first.Outcome != history.Answered:
		return one(rule.Inconclusive(verdict.Environment, "the invalid payload got no answer: %s", first.Reason))
	case first.Answer.Status < 400 || first.Answer.Status > 499:
		return one(rule.Inconclusive(verdict.Environment, "sample invalid was answered %s, where a refusal is wanted", c.Says(first)))
	case !corrected.Link.Reached:
		return one(rule.Inconclusive(verdict.Environment, "the corrected payload did not reach the target: %s", corrected.Reason))
	}
	declared, said := c.Contract.Stored.Validation, c.Says(first)+", then corrected "+c.Says(corrected)
	tooMany, _ := rule.AtMost(h, first.Intent, 1)
	some, _ := rule.AtMost(h, first.Intent, 0)
	none, _ := rule.Exactly(h, first.Intent, 1)
	refused := c.Class(corrected) == contract.Refused || c.Class(corrected) == contract.Mismatch
	switch {
	case tooMany != "":
		return one(rule.Fail(verdict.Strong, "%s", tooMany))
	case c.Succeeded(corrected) && none != "":
		return one(rule.Fail(verdict.Strong, "%s: %s", rule.Vanished, none))
	case c.Succeeded(corrected) && declared == "yes":
		return one(rule.Fail(verdict.Strong, "the corrected payload was executed, where a refused one is declared to consume the key: %s", said))
	case c.Succeeded(corrected):
		return one(rule.Pass(verdict.Strong, "the refused payload did not consume the key: %s", said))
	case !refused:
		return one(rule.Fail(verdict.Strong, "the key was left unusable: %s", said))
	case some != "":
		return one(rule.Fail(verdict.Strong, "both payloads were refused, but %s", some))
	case declared == "no":
		return one(rule.Fail(verdict.Strong, "the refused payload consumed the key, which is declared not to happen: %s", said))
	}
	return one(rule.Pass(verdict.Strong, "the refused payload consumed the key: %s", said))
}
