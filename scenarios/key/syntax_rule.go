package key

import (
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// trial makes a rule of a judgement on the histories of one trial.
func trial(name string, judge func(rule.Case, *history.History) rule.Finding) rule.Rule {
	return rule.Each(func(c rule.Case, h *history.History) []rule.Finding {
		if h.Trial != name {
			return nil
		}
		return []rule.Finding{judge(c, h)}
	})
}

// uncontrolled says why a refusal proves nothing: a plain write was not accepted at the time either.
func uncontrolled(c rule.Case) string {
	for _, h := range c.Histories {
		if a := h.First("control"); a != nil && h.Trial == "missing" {
			if broken := c.NoResult("the control, a plain write,", a); broken != nil {
				return broken[0].Detail
			}
			return ""
		}
	}
	return "no control was sent"
}

// required: a write without a key is refused as declared, and then it has no effect.
func required(c rule.Case) []rule.Finding { return trial("missing", withoutKey)(c) }

func withoutKey(c rule.Case, h *history.History) rule.Finding {
	a := h.First("missing")
	if why := c.Undecided(a); why != "" {
		return rule.Inconclusive(verdict.Environment, "the write without a key %s", why)
	}
	proof := rule.ProofOf(a)
	action := c.Contract.Missing.Action
	switch {
	case c.Class(a) == contract.Failed && !c.Contract.Refuses(contract.OnMissing, a.Exchange()):
		return rule.Fail(proof, "a write without a key was answered %s", c.Says(a))
	case c.Succeeded(a) && action == contract.ActionRefuse:
		return rule.Fail(proof, "a write without a key was answered %s, it should be refused", c.Says(a))
	case c.Succeeded(a) && action == contract.ActionExecute:
		return executed(h, a, proof, "a write without a key")
	case c.Succeeded(a):
		return rule.NotAssessed("the contract leaves open what a write without a key is answered; it was %s", c.Says(a))
	}
	if f, stop := refusedWithoutEffect(c, h, a, "a write without a key"); stop {
		return f
	}
	switch {
	case action == contract.ActionExecute:
		return rule.Fail(proof, "a write without a key was refused with %s; the contract declares that it is executed", c.Says(a))
	case !c.Contract.Refuses(contract.OnMissing, a.Exchange()):
		return rule.Fail(proof, "a write without a key was refused with %s, not as declared: %s", c.Says(a), c.Contract.Missing.Refusals())
	}
	return rule.Pass(proof, "a write without a key was refused with %s and had no effect", c.Says(a))
}

// executed judges a success that the contract wants: it has one effect.
func executed(h *history.History, a *history.Attempt, proof verdict.Proof, what string) rule.Finding {
	problem, unread := rule.Exactly(h, a.Intent, 1)
	switch {
	case problem != "":
		return rule.Fail(proof, "%s was accepted: %s", what, problem)
	case unread != "":
		return rule.Inconclusive(verdict.Environment, "%s", unread)
	}
	return rule.Pass(proof, "%s was executed once", what)
}

// refusedWithoutEffect is what to report of a refusal that had an effect, or of which nobody can tell.
func refusedWithoutEffect(c rule.Case, h *history.History, a *history.Attempt, what string) (f rule.Finding, stop bool) {
	problem, unread := rule.AtMost(h, a.Intent, 0)
	switch why := uncontrolled(c); {
	case problem != "":
		return rule.Fail(rule.ProofOf(a), "%s was refused with %s, yet %s", what, c.Says(a), problem), true
	case unread != "":
		return rule.Inconclusive(verdict.Environment, "%s", unread), true
	case why != "":
		return rule.Inconclusive(verdict.Environment, "%s", why), true
	}
	return rule.Finding{}, false
}

// acceptsRandom: random keys of the declared format are accepted.
func acceptsRandom(c rule.Case) []rule.Finding {
	return rule.Each(func(c rule.Case, h *history.History) []rule.Finding {
		if h.Trial != "random" {
			return nil
		}
		var all []rule.Finding
		for _, a := range h.Attempts(string(contract.ShapeUUID), string(contract.ShapeRandom)) {
			all = append(all, accepted(c, a))
		}
		if len(all) == 0 {
			all = append(all, rule.NotAssessed("no random key of the declared syntax could be made"))
		}
		return all
	})(c)
}

func accepted(c rule.Case, a *history.Attempt) rule.Finding {
	switch why := c.Undecided(a); {
	case why != "":
		return rule.Inconclusive(verdict.Environment, "the write under a key of the shape %s %s", a.Label, why)
	case c.Succeeded(a):
		return rule.Pass(rule.ProofOf(a), "a key of the shape %s was accepted", a.Label)
	}
	if why := uncontrolled(c); why != "" {
		return rule.Inconclusive(verdict.Environment, "%s", why)
	}
	return rule.Fail(rule.ProofOf(a), "a key of the shape %s was answered %s", a.Label, c.Says(a))
}

// quotedAndBare: a structured-field string and the bare token are the same key, or the undeclared spelling is refused. Where
// the contract calls keys opaque, the quotation marks are part of the key.
func quotedAndBare(c rule.Case) []rule.Finding { return trial("respelled", bothSpellings)(c) }

func bothSpellings(c rule.Case, h *history.History) rule.Finding {
	first, other := h.First("first"), h.First("respelled")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken[0]
	}
	if other == nil {
		return rule.NotAssessed("the key has no other spelling")
	}
	proof := rule.ProofOf(first, other)
	if c.Class(other) == contract.Failed {
		return rule.Fail(proof, "the same key in its other spelling was answered %s", c.Says(other))
	}
	encoding := c.Contract.Key.Encoding
	most := 1
	if encoding == contract.EncodingOpaque || encoding == "" || c.Contract.Malformed.Action == contract.ActionIgnore && c.Contract.Missing.Action != contract.ActionRefuse {
		most = 2 // two keys, or as good as none
	}
	problem, unread := rule.AtMost(h, first.Intent, most)
	once, _ := rule.AtMost(h, first.Intent, 1)
	switch {
	case problem != "":
		return rule.Fail(proof, "the same key in its other spelling, answered %s, is another key: %s; where that is meant, declare contract.key.encoding: opaque", c.Says(other), problem)
	case c.Undecided(other) != "":
		return rule.Inconclusive(verdict.Environment, "the attempt with the other spelling %s", c.Undecided(other))
	case unread != "":
		return rule.Inconclusive(verdict.Environment, "%s", unread)
	case encoding == contract.EncodingBoth && !c.Succeeded(other):
		return rule.Fail(proof, "the contract declares both spellings to be one key; the other one was answered %s", c.Says(other))
	case once != "" && encoding == "":
		return rule.NotAssessed("the contract leaves open how keys are spelled; two spellings of one were two keys")
	case once != "":
		return rule.Pass(proof, "under an %s key the two spellings are two keys, as declared", c.Contract.Key.Encoding)
	}
	return rule.Pass(proof, "the other spelling was answered %s, and there is one effect", c.Says(other))
}

// sentTwice: two key fields in one request never make two effects.
func sentTwice(c rule.Case) []rule.Finding { return trial("sent-twice", twoFields)(c) }

func twoFields(c rule.Case, h *history.History) rule.Finding {
	undecided := ""
	all := h.Attempts()
	for _, a := range all {
		proof := rule.ProofOf(a)
		if c.Class(a) == contract.Failed {
			return rule.Fail(proof, "a request with two key fields (%s) was answered %s", a.Label, c.Says(a))
		}
		problem, unread := rule.AtMost(h, a.Intent, 1)
		if problem != "" {
			return rule.Fail(proof, "a request with two key fields (%s) was sent twice, answered %s: %s", a.Label, c.Says(a), problem)
		}
		if why := c.Undecided(a); why != "" {
			undecided = "the request " + a.Label + " " + why
		} else if unread != "" {
			undecided = unread
		} else if stale := rule.Stale(h, a); stale != "" {
			undecided = stale
		} else if !strings.HasSuffix(a.Label, "-again") && h.First(a.Label+"-again") == nil {
			undecided = "the request " + a.Label + " was not sent again"
		}
	}
	switch {
	case undecided != "":
		return rule.Inconclusive(verdict.Environment, "%s", undecided)
	case len(all) == 0:
		return rule.Inconclusive(verdict.Harness, "no request was sent")
	}
	return rule.Pass(rule.ProofOf(all...), "the first of them was answered %s; none had a second effect", c.Says(all[0]))
}
