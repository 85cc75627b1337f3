package run

import (
	"slices"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// excused takes back what is held against a target that only asked to slow down: whoever sends a 429 has not looked at the key.
// A second effect is one all the same.
func excused(c rule.Case, findings []rule.Finding) []rule.Finding {
	for i, f := range findings {
		if f.Outcome != verdict.Fail || !slices.ContainsFunc(c.Histories, func(h *history.History) bool {
			return slices.Contains(f.Histories, h.ID) && slowedDown(c, h) && !twice(h)
		}) {
			continue
		}
		open := rule.Inconclusive(verdict.Environment, "a request was answered 429, which decides nothing: set limits.rate to what the target allows (else: %s)", f.Detail)
		findings[i] = open.In(f.Part).At(f.Histories...)
	}
	return findings
}

// slowedDown tells whether an attempt that counts was only asked to slow down.
func slowedDown(c rule.Case, h *history.History) bool {
	for _, e := range h.Events {
		if a := e.Attempt; a != nil && a.Label != history.Slowed && a.Outcome == history.Answered && a.Answer != nil && c.Contract.Throttled(a.Exchange()) {
			return true
		}
	}
	return false
}

// twice tells whether some intent had more than one effect.
func twice(h *history.History) bool {
	for _, in := range h.Intents {
		if slices.ContainsFunc(rule.Tallies(h, in.ID), func(t rule.Tally) bool { return t.Most > 1 }) {
			return true
		}
	}
	return false
}
