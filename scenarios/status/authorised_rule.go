package status

import (
	"slices"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func authorisedRule(c rule.Case, h *history.History) []rule.Finding {
	own := reading(h, "own")
	if f := unreadable(own); f != nil {
		return one(*f)
	}
	if own.State == history.Absent {
		return one(rule.Inconclusive(verdict.Environment, "its own caller does not find the operation either"))
	}
	var findings []rule.Finding
	for _, s := range h.Statuses("other") {
		findings = append(findings, otherReads(h, s))
	}
	if len(findings) == 0 {
		return one(rule.Inconclusive(verdict.Harness, "nobody else read the status"))
	}
	return findings
}

// otherReads judges what somebody else was told: no state, and nothing that only the operation's own answer could name.
func otherReads(h *history.History, s *history.Status) rule.Finding {
	switch {
	case s.HTTP == 0:
		return rule.Inconclusive(verdict.Environment, "%s got no answer: %s", s.Tenant, s.Error)
	case s.State != "" && s.State != history.Absent:
		return rule.Fail(verdict.Strong, "%s reads %s of an operation that is not theirs", s.Tenant, says(s))
	}
	for _, secret := range secrets(h, s.Intent) {
		if at := named(s.Answer, secret); at != "" {
			return rule.Fail(verdict.Strong, "%s is told %q, at %s, of an operation that is not theirs", s.Tenant, secret, at)
		}
	}
	if s.HTTP >= 500 || s.HTTP == 429 {
		return rule.Inconclusive(verdict.Target, "%s was answered %d", s.Tenant, s.HTTP)
	}
	return rule.Pass(verdict.Strong, "%s was answered %d and told nothing", s.Tenant, s.HTTP)
}

// shortest is the least length of a name that is looked for, so that no match is a coincidence: the status code 404 is not the
// resource 404.
const shortest = 4

// secrets are the values named in the operation's request and result, less those that the status request itself holds.
func secrets(h *history.History, intent string) (all []string) {
	if in := h.Intent(intent); in != nil {
		all = append(all, in.Markers...)
	}
	for _, o := range h.Observations(intent) {
		all = append(all, o.IDs...)
	}
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < shortest })
}
