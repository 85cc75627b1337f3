package replay

import (
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// sameStatus: the retry has the status of the first answer.
func sameStatus(c rule.Case, h *history.History) []rule.Finding {
	first, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	proof := rule.ProofOf(first, retry)
	for _, a := range h.Attempts("retry") {
		if c.Class(a) == contract.Failed {
			return one(rule.Fail(proof, "the first attempt was answered %s, its retry %s", c.Says(first), c.Says(a)))
		}
	}
	switch {
	case !c.Contract.Fidelity.CoversBody():
		return one(open(c, "status", retry))
	case c.Class(retry) == contract.InFlightAnswer:
		return one(rule.NotAssessed("the retry was told to wait, however often it was sent"))
	case retry.Answer.Status != first.Answer.Status:
		return one(rule.Fail(proof, "the first attempt was answered %s, its retry %s", c.Says(first), c.Says(retry)))
	}
	return one(rule.Pass(proof, "both were answered %d", first.Answer.Status))
}

// sameBody: the retry has the body of the first answer, or names the same resource where only that is declared. A retry
// that was refused has no body to compare: that is a matter of its status.
func sameBody(c rule.Case, h *history.History) []rule.Finding {
	first, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	proof := rule.ProofOf(first, retry)
	switch {
	case c.Contract.Fidelity == contract.FidelityResource:
		return one(sameResource(c, h, first, retry))
	case !c.Contract.Fidelity.CoversBody():
		return one(open(c, "body", retry))
	case !c.Succeeded(retry):
		return one(rule.NotAssessed("the retry was answered %s, not with a result", c.Says(retry)))
	}
	likeness, where := rule.CompareBodies(first.Answer.Body, retry.Answer.Body, c.Contract.Volatile)
	switch likeness {
	case rule.Unlike:
		return one(rule.Fail(proof, "%s; where a replay may show how things stand by now, declare contract.fidelity: resource, or that place under contract.volatile", where))
	case rule.Incomplete:
		return one(rule.Inconclusive(verdict.Harness, "%s", where))
	}
	return one(rule.Pass(proof, "both answers have the same body of %d bytes", first.Answer.Body.Length))
}

// sameResource: under a weaker fidelity the retry's answer, a refusal too, names the resource that the first one made.
func sameResource(c rule.Case, h *history.History, first, retry *history.Attempt) rule.Finding {
	proof := rule.ProofOf(first, retry)
	known := false
	for _, id := range ids(h, first.Intent) {
		if len(rule.Places(first.Answer, id)) == 0 {
			continue
		}
		known = true
		if len(rule.Places(retry.Answer, id)) == 0 {
			return rule.Fail(proof, "the first answer names the resource %s, the retry's answer (%s) does not", id, c.Says(retry))
		}
	}
	if !known {
		return rule.NotAssessed("the contract promises the same resource, but no probe gives an id that the first answer names")
	}
	return rule.Pass(proof, "both answers name the same resource")
}

// sameHeaders: Content-Type and Location are those of the first answer.
func sameHeaders(c rule.Case, h *history.History) []rule.Finding {
	first, retry, broken := pair(c, h)
	switch {
	case broken != nil:
		return broken
	case !c.Contract.Fidelity.CoversBody():
		return one(open(c, "headers", retry))
	case !c.Succeeded(retry):
		return one(rule.NotAssessed("the retry was answered %s, not with a result", c.Says(retry)))
	}
	if differs := rule.HeaderDiffers(first, retry); differs != "" {
		return one(rule.Fail(rule.ProofOf(first, retry), "%s", differs))
	}
	return one(rule.Pass(rule.ProofOf(first, retry), "Content-Type and Location are the first answer's"))
}

// marker: the declared marker is on every replay, and on the first answer only as declared.
func marker(c rule.Case, h *history.History) []rule.Finding {
	name, onFirst := c.Contract.Marker.Name, c.Contract.Marker.OnFirst
	if name == "" {
		return one(rule.NotAssessed("the contract declares no marker"))
	}
	first, retry, broken := pair(c, h)
	if broken != nil {
		return broken
	}
	proof := rule.ProofOf(first, retry)
	value, marked := header(first, name), c.Contract.Marked(first.Exchange())
	switch {
	case onFirst == "same" && !marked:
		return one(rule.Fail(proof, "the first answer lacks %s, which is declared to be on every answer", name))
	case onFirst == "false" && !strings.EqualFold(value, "false"):
		return one(rule.Fail(proof, "on the first answer %s should be false, it is %q", name, value))
	case onFirst == "absent" && value != "", onFirst != "same" && marked:
		return one(rule.Fail(proof, "the first answer says %s: %s, like a replay", name, value))
	}
	replays := 0
	for i, a := range append([]*history.Attempt{retry}, h.Attempts("again", "late")...) {
		switch {
		case !c.Succeeded(a):
		case !c.Contract.Marked(a.Exchange()):
			return one(rule.Fail(proof, "the answer to retry %d is not marked: %s is %q", i+1, name, header(a, name)))
		default:
			replays++
		}
	}
	if replays == 0 {
		return one(rule.NotAssessed("no retry was answered with a result; the last was answered %s", c.Says(retry)))
	}
	return one(rule.Pass(proof, "%d replays carry %s", replays, name))
}

// pair returns the first attempt and the retry whose answer counts, the last of those that were told to come back; or what
// to report where there is no such pair.
func pair(c rule.Case, h *history.History) (first, retry *history.Attempt, broken []rule.Finding) {
	first = h.First("first")
	if broken = c.NoResult("the first attempt", first); broken != nil {
		return nil, nil, broken
	}
	retries := h.Attempts("retry")
	if len(retries) == 0 {
		return nil, nil, one(rule.Inconclusive(verdict.Harness, "no retry was sent"))
	}
	retry = retries[len(retries)-1]
	if why := c.Undecided(retry); why != "" {
		if _, never := neverAnswered(c, h); never {
			return nil, nil, one(rule.NotAssessed("the retry %s, like every other", why))
		}
		return nil, nil, one(rule.Inconclusive(verdict.Environment, "the retry %s", why))
	}
	return first, retry, nil
}

func open(c rule.Case, what string, retry *history.Attempt) rule.Finding {
	promise := fmt.Sprintf("the declared fidelity %q does not cover", c.Contract.Fidelity)
	if c.Contract.Fidelity == "" {
		promise = "the contract declares no fidelity that would cover"
	}
	return rule.NotAssessed("%s the %s; the retry was answered %s", promise, what, c.Says(retry))
}

// ids are those of the resources that the probes found for an intent.
func ids(h *history.History, intent string) (all []string) {
	for _, t := range rule.Tallies(h, intent) {
		if t.Kind == history.Resource {
			all = append(all, t.IDs...)
		}
	}
	return all
}

func header(a *history.Attempt, name string) string {
	for n, values := range a.Answer.Header {
		if strings.EqualFold(n, name) && len(values) > 0 {
			return strings.TrimSpace(values[0])
		}
	}
	return ""
}

func one(f rule.Finding) []rule.Finding { return []rule.Finding{f} }
