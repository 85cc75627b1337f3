package key

import (
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// safeMethod: a key on a GET is ignored: the answer is that without one, and the key stays free for a write.
func safeMethod(c rule.Case) []rule.Finding { return trial("safe-method", onGet)(c) }

func onGet(c rule.Case, h *history.History) rule.Finding {
	first := h.First("first")
	if first == nil {
		return rule.NotAssessed("no effect of the operation is read by a GET")
	}
	for _, pair := range [][2]string{{"get-plain", "get-with-key"}, {"get-plain-later", "get-with-used-key"}} {
		plain, keyed := h.First(pair[0]), h.First(pair[1])
		if plain == nil && pair[0] == "get-plain" {
			continue // the path needs the first answer
		}
		for _, a := range []*history.Attempt{plain, keyed} {
			if why := c.Undecided(a); why != "" {
				return rule.Inconclusive(verdict.Environment, "a GET %s", why)
			}
		}
		if plain.Answer.Status >= 400 {
			return rule.NotAssessed("a GET without a key was answered %s", c.Says(plain))
		}
		proof := rule.ProofOf(plain, keyed)
		if plain.Answer.Status != keyed.Answer.Status {
			return rule.Fail(proof, "a GET was answered %d, with the key %d", plain.Answer.Status, keyed.Answer.Status)
		}
		if pair[0] == "get-plain-later" && first.Answer != nil && first.Answer.Body.Length > 0 && alike(first, keyed) && !alike(first, plain) {
			return rule.Fail(proof, "a GET with the key of a write was given the write's answer")
		}
	}
	if why := c.Undecided(first); why != "" {
		return rule.Inconclusive(verdict.Environment, "the write after the GET %s", why)
	}
	if broken := c.NoResult("the control, a plain write,", h.First("control")); broken != nil {
		return broken[0]
	}
	proof := rule.ProofOf(first, h.First("get-with-used-key"))
	if !c.Succeeded(first) {
		return rule.Fail(proof, "a GET used the key up: a write under it was answered %s", c.Says(first))
	}
	if problem, _ := rule.Exactly(h, first.Intent, 1); problem != "" {
		return rule.Fail(proof, "a GET used the key up: a write under it was answered %s, but %s", c.Says(first), problem)
	}
	return rule.Pass(proof, "a GET with the key is answered as without")
}

func alike(a, b *history.Attempt) bool {
	likeness, _ := rule.CompareBodies(a.Answer.Body, b.Answer.Body, nil)
	return likeness == rule.Alike
}

func path(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return url
}
