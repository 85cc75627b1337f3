package conflict

import (
	"mime"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// explained: 400, 409 and 422 answers are problem details or link to documentation, as the contract declares.
func explained(c rule.Case, h *history.History) []rule.Finding {
	want := c.Contract.Errors
	if want == "" || want == "vendor" {
		return one(rule.NotAssessed("the contract explains refusals in a way of its own"))
	}
	var undecided, other string
	var judged []*history.Attempt
	for _, a := range h.Attempts("changed", "changed-again") {
		if why := c.Undecided(a); why != "" {
			undecided = why
			continue
		}
		if !slices.Contains([]int{400, 409, 422}, a.Answer.Status) {
			other = c.Says(a)
			continue
		}
		judged = append(judged, a)
		problem, link := problemDetails(a), len(a.Answer.Header["Link"]) > 0
		if want == "problem+json" && !problem || want == "link" && !link || want == "either" && !problem && !link {
			return one(rule.Fail(rule.ProofOf(a), "the refusal %s explains itself neither by problem details nor by a link (declared: %s): its Content-Type is %q",
				c.Says(a), want, strings.Join(a.Answer.Header["Content-Type"], ", ")))
		}
	}
	switch {
	case len(judged) > 0:
		return one(rule.Pass(rule.ProofOf(judged...), "%s is explained", c.Says(judged[0])))
	case undecided != "":
		return one(rule.Inconclusive(verdict.Environment, "the changed payload %s", undecided))
	}
	return one(rule.NotAssessed("no changed payload was answered 400, 409 or 422; the last was answered %s", other))
}

// problemDetails tells whether an answer is an RFC 9457 document.
func problemDetails(a *history.Attempt) bool {
	for _, v := range a.Answer.Header["Content-Type"] {
		kind, _, err := mime.ParseMediaType(v)
		if err == nil && kind == "application/problem+xml" {
			return true
		}
		if err == nil && kind == "application/problem+json" {
			return a.Answer.Body.Truncated || strings.HasPrefix(strings.TrimSpace(a.Answer.Body.Text), "{")
		}
	}
	return false
}
