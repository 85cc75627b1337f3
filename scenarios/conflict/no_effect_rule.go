package conflict

import (
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// noEffect: a changed payload under a used key has no effect, under every contract. It shares its markers with the first, so
// that each effect of it shows as one too many of the first's.
func noEffect(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken
	}
	var reached []*history.Attempt
	for _, a := range h.AttemptsOf(first.Intent) {
		if strings.HasPrefix(a.Label, "changed") && a.Outcome == history.Answered {
			reached = append(reached, a)
		}
	}
	proof := rule.ProofOf(reached...)
	problem, unread := rule.Exactly(h, first.Intent, 1)
	switch {
	case problem != "":
		return one(rule.Fail(proof, "after a changed payload under its key, answered %s, %s", says(c, reached), problem))
	case moved(h, first.Intent) != "":
		return one(rule.Fail(proof, "the changed payload, answered %s, moved a value: %s", says(c, reached), moved(h, first.Intent)))
	case overwritten(h, first) != "":
		return one(rule.Fail(proof, "the changed payload, answered %s, was written over the first one: %s", says(c, reached), overwritten(h, first)))
	case unread != "":
		return one(rule.Inconclusive(verdict.Environment, "%s", unread))
	case proof == verdict.None:
		return one(rule.Inconclusive(verdict.Environment, "no changed payload was answered"))
	case rule.Stale(h, reached[len(reached)-1]) != "":
		return one(rule.Inconclusive(verdict.Environment, "%s", rule.Stale(h, reached[len(reached)-1])))
	}
	for _, a := range reached {
		if c.Succeeded(a) {
			return one(rule.Pass(proof, "it was answered %s and had no effect", c.Says(a)))
		}
	}
	if why := uncontrolled(c, h); why != "" {
		return one(rule.Inconclusive(verdict.Environment, "%s", why))
	}
	return one(rule.Pass(proof, "it was answered %s and had no effect", says(c, reached)))
}

func says(c rule.Case, attempts []*history.Attempt) string {
	if len(attempts) == 0 {
		return "not at all"
	}
	return c.Says(attempts[len(attempts)-1])
}

// moved finds a value that did not stand still once the first write was answered. Two payloads may move it by different
// amounts, so that it need not have moved by a whole number of executions.
func moved(h *history.History, intent string) string {
	before := map[string]string{}
	for _, o := range h.Observations(intent) {
		if o.Kind != history.Value || o.Error != "" || o.Value == "" || o.Moment == "before" {
			continue
		}
		if was, read := before[o.Probe]; read && !rule.SameScalar(was, o.Value) {
			return fmt.Sprintf("%s was %s and is %s", o.Probe, was, o.Value)
		}
		if o.Moment == "first" {
			before[o.Probe] = o.Value
		}
	}
	return ""
}

// overwritten finds a value of the changed payload where the first one's stood when the resources were read before. Only a
// resource that names a marker of the first counts: a list may show others in between.
func overwritten(h *history.History, first *history.Attempt) string {
	before, after, changed := h.First("seen-before"), h.First("seen-after"), h.First("changed")
	in := h.Intent(first.Intent)
	for _, a := range []*history.Attempt{before, after, changed} {
		if a == nil || a.Answer == nil || in == nil {
			return ""
		}
	}
	was, is := rule.Leaves(before.Answer.Body), rule.Leaves(after.Answer.Body)
	old, now := rule.Leaves(first.Request.Body), rule.Leaves(changed.Request.Body)
	for at, value := range old {
		other, ok := now[at]
		if !ok || rule.SameScalar(value, other) {
			continue
		}
		for place, stood := range was {
			stands, there := is[place]
			if there && lastName(place) == lastName(at) && rule.SameScalar(stood, value) && rule.SameScalar(stands, other) &&
				named(was, parent(place), in.Markers) && named(is, parent(place), in.Markers) {
				return fmt.Sprintf("%s was %s and is %s", place, stood, stands)
			}
		}
	}
	return ""
}

// named tells whether a leaf below the place holds one of the markers.
func named(leaves map[string]string, below string, markers []string) bool {
	for at, leaf := range leaves {
		if !strings.HasPrefix(at, below+"/") {
			continue
		}
		for _, m := range markers {
			if strings.Contains(leaf, m) {
				return true
			}
		}
	}
	return false
}

func parent(pointer string) string   { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }
func lastName(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// originalIntact: after a conflict the original is answered as it was answered before the conflict, with no second effect.
func originalIntact(c rule.Case, h *history.History) []rule.Finding {
	original := h.First("original")
	if original == nil {
		return one(rule.Inconclusive(verdict.Environment, "the original was not sent again"))
	}
	var first, retry, changed *history.Attempt
	for _, a := range h.AttemptsOf(original.Intent) {
		switch a.Label {
		case "first":
			first = a
		case "retry":
			retry = a
		case "changed":
			changed = a
		case "original":
			original = a
		}
	}
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken
	}
	for _, a := range []*history.Attempt{retry, changed} {
		if why := c.Undecided(a); why != "" {
			return one(rule.Inconclusive(verdict.Environment, "an attempt before the original's last one %s", why))
		}
	}
	proof := rule.ProofOf(first, retry, changed, original)
	problem, unread := rule.Exactly(h, original.Intent, 1)
	switch differs, where := unlike(c, retry, original); {
	case problem != "":
		return one(rule.Fail(proof, "after a conflict the original was sent again, answered %s: %s", c.Says(original), problem))
	case differs:
		return one(rule.Fail(proof, "a retry before the conflict was answered %s, the same one after it %s%s", c.Says(retry), c.Says(original), where))
	case c.Undecided(original) != "":
		return one(rule.Inconclusive(verdict.Environment, "the original, sent again, %s", c.Undecided(original)))
	case unread != "":
		return one(rule.Inconclusive(verdict.Environment, "%s", unread))
	case rule.Stale(h, original) != "":
		return one(rule.Inconclusive(verdict.Environment, "%s", rule.Stale(h, original)))
	}
	return one(rule.Pass(proof, "before and after the conflict the retry was answered %s", c.Says(original)))
}

// unlike tells whether two answers to the same retry differ, as far as the declared fidelity covers it, and where.
func unlike(c rule.Case, before, after *history.Attempt) (differs bool, where string) {
	covered := c.Contract.Fidelity.CoversBody()
	switch {
	case c.Undecided(after) != "":
		return false, ""
	case c.Succeeded(before) != c.Succeeded(after), c.Class(after) == contract.Failed, covered && before.Answer.Status != after.Answer.Status:
		return true, ""
	case covered && c.Succeeded(after):
		likeness, detail := rule.CompareBodies(before.Answer.Body, after.Answer.Body, c.Contract.Volatile)
		return likeness == rule.Unlike, ": " + detail
	}
	return false, ""
}
