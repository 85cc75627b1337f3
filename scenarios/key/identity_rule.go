package key

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// caseMatters: keys that differ only in letter case are two operations, where the declared format is not one that folds case.
func caseMatters(c rule.Case) []rule.Finding {
	if c.Contract.Key.FoldsCase() {
		return []rule.Finding{rule.NotAssessed("the declared format, %s, is the same in either case", c.Contract.Key.Format)}
	}
	return trial("case", func(c rule.Case, h *history.History) rule.Finding {
		control := h.First("control")
		if control == nil {
			return rule.NotAssessed("the declared syntax has no two keys that differ in case only")
		}
		if why := c.Undecided(control); why != "" {
			return rule.Inconclusive(verdict.Environment, "the control %s", why)
		}
		if !c.Succeeded(control) {
			return rule.NotAssessed("the target takes no keys in upper case (%s), which the contract does not declare", c.Says(control))
		}
		return twoOperations(c, h, "two keys that differ in letter case only")
	})(c)
}

// fullLength: keys that differ only in the last character, at the longest allowed length, are two operations.
func fullLength(c rule.Case) []rule.Finding {
	return trial("longest", func(c rule.Case, h *history.History) rule.Finding {
		first := h.First("first")
		switch {
		case first == nil:
			return rule.NotAssessed("the declared syntax has no two longest keys that differ in the last character only")
		case c.Undecided(first) != "" || c.Succeeded(first):
		case c.Contract.Key.Max > 0:
			return rule.Fail(rule.ProofOf(first), "a key of the declared longest length, %d characters, was answered %s", c.Contract.Key.Max, c.Says(first))
		default:
			return rule.NotAssessed("a key of %d characters was answered %s: declare contract.key.max", c.Contract.Key.Longest(), c.Says(first))
		}
		return twoOperations(c, h, "two long keys that differ in the last character only")
	})(c)
}

// twoOperations judges two writes with payloads of their own, under keys that differ a little.
func twoOperations(c rule.Case, h *history.History, keys string) rule.Finding {
	first, second := h.First("first"), h.First("second")
	if broken := c.NoResult("the first write", first); broken != nil {
		return broken[0]
	}
	if why := c.Undecided(second); why != "" {
		return rule.Inconclusive(verdict.Environment, "the second write %s", why)
	}
	proof := rule.ProofOf(first, second)
	if !c.Succeeded(second) {
		return rule.Fail(proof, "%s were taken for one: the second write was answered %s", keys, c.Says(second))
	}
	for _, a := range []*history.Attempt{second, first} {
		problem, unread := rule.Exactly(h, a.Intent, 1)
		if problem != "" {
			return rule.Fail(proof, "%s, answered %s and %s, did not make two effects: of the %s %s", keys, c.Says(first), c.Says(second), a.Label, problem)
		}
		if unread != "" {
			return rule.Inconclusive(verdict.Environment, "%s", unread)
		}
	}
	return rule.Pass(proof, "%s made two effects", keys)
}

// distinctKeys: two keys with byte-equal payloads make two effects; the fingerprint is no duplicate detector. In an API whose
// unique leaves are an identity of their own a second write about the same thing is rightly none: that is told by a changed
// payload with the same unique leaves, which a mere comparison of payloads would let through.
func distinctKeys(c rule.Case) []rule.Finding {
	return trial("twins", func(c rule.Case, h *history.History) rule.Finding {
		first, second, changed := h.First("first"), h.First("second"), h.First("changed")
		if broken := c.NoResult("the first write", first); broken != nil {
			return broken[0]
		}
		if why := c.Undecided(second); why != "" {
			return rule.Inconclusive(verdict.Environment, "the write under the second key %s", why)
		}
		proof := rule.ProofOf(first, second)
		made, last, readable := growth(h, second.Intent)
		asked := 2
		if changed != nil && c.Succeeded(changed) {
			asked = 3
		}
		switch {
		case !readable:
			return rule.Inconclusive(verdict.Environment, "the effects could not be read")
		case made >= 2, c.Succeeded(second) && last >= asked:
			return rule.Pass(proof, "two keys with one payload made two effects")
		case changed == nil:
			return rule.NotAssessed("the second key was answered %s and made no effect: the unique leaves may be an identity of their own; a changed payload would tell", c.Says(second))
		case c.Undecided(changed) != "":
			return rule.Inconclusive(verdict.Environment, "the changed payload under a third key %s", c.Undecided(changed))
		case last > made:
			return rule.Fail(proof, "an equal payload under a second key was answered %s and made no effect, a changed one under a third key did", c.Says(second))
		}
		return rule.NotAssessed("neither an equal nor a changed payload with the same unique leaves makes a second effect (%s, %s): they are an identity of their own",
			c.Says(second), c.Says(changed))
	})(c)
}

// growth reads how many effects the twins had made once the second one was answered, and at the end. Resources take
// precedence: a downstream system may take equal calls for one.
func growth(h *history.History, intent string) (made, last int, readable bool) {
	for _, kind := range []string{history.Resource, history.Value, history.Ledger} {
		for _, o := range h.Observations(intent, "second", "changed", "final") {
			if o.Kind != kind || o.Error != "" {
				continue
			}
			if o.Moment == "second" {
				made, readable = max(made, o.Count), true
			}
			last = max(last, o.Count)
		}
		if readable {
			return made, last, true
		}
	}
	return 0, 0, false
}
