package replay

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// authorisedRule: a caller that lost its access does not get the stored answer. Another principal may execute the same payload
// as its own operation; then its answer is its own, also where it looks alike.
func authorisedRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken
	}
	var strangers []*history.Attempt
	undecided := ""
	for _, label := range []string{"other-principal", "no-credentials"} {
		a := h.First(label)
		if why := c.Undecided(a); why != "" {
			undecided = "the attempt " + label + " " + why
			continue
		}
		strangers = append(strangers, a)
		if own, _ := rule.Grew(h, a.Intent, "idle", "after"); own {
			continue
		}
		if how := c.GivesAway(h, first, h.First("control"), a); how != "" {
			return one(rule.Fail(rule.ProofOf(first, a), "the attempt %s under the owner's key was answered %s: %s", label, c.Says(a), how))
		}
		if likeness, _ := rule.CompareBodies(first.Answer.Body, a.Answer.Body, nil); likeness == rule.Alike && c.Succeeded(a) && c.NoResult("", h.First("control")) != nil {
			undecided = "the attempt " + label + " was answered like the first one, and nothing shows whether that is so for everybody"
		}
	}
	if undecided != "" {
		return one(rule.Inconclusive(verdict.Environment, "%s", undecided))
	}
	_, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	if !c.Succeeded(retry) {
		return one(rule.NotAssessed("the owner's own retry was answered %s: there is no stored answer to give away", c.Says(retry)))
	}
	return one(rule.Pass(rule.ProofOf(append(strangers, first)...), "another principal was answered %s, a caller without credentials %s",
		c.Says(h.First("other-principal")), c.Says(h.First("no-credentials"))))
}
