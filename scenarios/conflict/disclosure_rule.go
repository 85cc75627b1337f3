package conflict

import (
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// telling is how long a text must be so that finding it again is no chance.
const telling = 8

// disclosureRule: a conflict tells nothing of the first request or its answer. The key, the operation, its state, and the
// resource by id or link may be named.
func disclosureRule(c rule.Case, h *history.History) []rule.Finding {
	first := firstOf(h)
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken
	}
	attempts := h.Attempts("changed")
	if len(attempts) == 0 {
		return one(rule.Inconclusive(verdict.Harness, "no changed payload was sent"))
	}
	changed, control := attempts[len(attempts)-1], h.First("control")
	if why := c.Undecided(changed); why != "" {
		return one(rule.Inconclusive(verdict.Environment, "the changed payload %s", why))
	}
	if c.Succeeded(changed) {
		return one(rule.NotAssessed("the changed payload was answered %s: there is no refusal that could disclose anything", c.Says(changed)))
	}
	proof := rule.ProofOf(first, changed)
	private := append(fromRequest(h, first, changed), fromAnswer(first, control)...)
	private = slices.DeleteFunc(private, func(secret string) bool { return mayBeNamed(h, first, changed, secret) })
	for _, secret := range private {
		if at := rule.Places(changed.Answer, secret); len(at) > 0 {
			return one(rule.Fail(proof, "the refusal %s holds %q of the first attempt, at %s", c.Says(changed), secret, strings.Join(at, ", ")))
		}
	}
	if len(private) == 0 {
		return one(rule.NotAssessed("the first attempt holds no text of its own that the refusal could disclose: unique or free texts are missing in its payload"))
	}
	if why := uncontrolled(c, h); why != "" {
		return one(rule.Inconclusive(verdict.Environment, "%s", why))
	}
	return one(rule.Pass(proof, "the refusal %s holds none of the first attempt's %d private values", c.Says(changed), len(private)))
}

// firstOf is the first attempt that counts: the one with canaries unless the target did not take it.
func firstOf(h *history.History) *history.Attempt {
	if plain := h.First("first"); plain != nil {
		return plain
	}
	return h.First("canaries")
}

// fromRequest lists the texts of the first payload, and the intent's markers inside them.
func fromRequest(h *history.History, first, changed *history.Attempt) []string {
	var texts []string
	leaves := rule.Leaves(first.Request.Body)
	for _, leaf := range leaves {
		texts = append(texts, leaf)
	}
	if in := h.Intent(first.Intent); in != nil {
		texts = append(texts, in.Markers...)
	}
	own := rule.Leaves(changed.Request.Body)
	texts = slices.DeleteFunc(texts, func(t string) bool {
		if len(t) < telling || strings.Contains(changed.Request.URL, t) {
			return true
		}
		for _, leaf := range own {
			if strings.Contains(leaf, t) {
				return true
			}
		}
		return len(own) == 0 && strings.Contains(changed.Request.Body.Text, t)
	})
	slices.Sort(texts)
	return slices.Compact(texts)
}

// fromAnswer lists the texts of the first answer that another write's answer does not have in the same place, without times:
// those are the same for all that happens in one second.
func fromAnswer(first, control *history.Attempt) []string {
	if control == nil || control.Answer == nil {
		return nil
	}
	common := rule.Leaves(control.Answer.Body)
	var texts []string
	for at, leaf := range rule.Leaves(first.Answer.Body) {
		if len(leaf) >= telling && common[at] != leaf && !public(at) && !number(leaf) && !moment(leaf) {
			texts = append(texts, leaf)
		}
	}
	slices.Sort(texts)
	return texts
}

// public tells whether a place holds what a refusal may name: an identity, a link, a state.
func public(at string) bool {
	name := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(lastName(at), "_", ""), "-", ""))
	for _, end := range []string{"id", "ids", "key", "url", "uri", "href", "link", "self", "location", "state", "status", "operation", "number", "reference"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.Contains(at, "/links/") || strings.Contains(at, "/_links/")
}

func number(text string) bool { return strings.Trim(text, "0123456789.eE+-") == "" }

// moment tells whether a text begins like a date or a time of day.
func moment(text string) bool {
	digits := 0
	for _, r := range text[:min(len(text), 10)] {
		if '0' <= r && r <= '9' {
			digits++
		}
	}
	return digits >= 6 && strings.ContainsAny(text, ":-")
}

// mayBeNamed: the key, and what the first answer gives as the resource's identity or link, also where the caller chose it.
func mayBeNamed(h *history.History, first, changed *history.Attempt, secret string) bool {
	if in := h.Intent(changed.Intent); in != nil && strings.Contains(in.Key, secret) {
		return true
	}
	for _, o := range h.Observations(first.Intent) {
		if slices.ContainsFunc(o.IDs, func(id string) bool { return strings.Contains(id, secret) }) {
			return true
		}
	}
	for _, name := range []string{"Location", "Content-Location", "Link"} {
		if slices.ContainsFunc(first.Answer.Header[name], func(v string) bool { return strings.Contains(v, secret) }) {
			return true
		}
	}
	return false
}
