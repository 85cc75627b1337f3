package status

import (
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// reading is the last reading by the owner at a moment, nil if there was none.
func reading(h *history.History, moment string) (last *history.Status) {
	for _, s := range h.Statuses(moment) {
		if mine(h, s) {
			last = s
		}
	}
	return last
}

// mine tells whether a reading was the owner's.
func mine(h *history.History, s *history.Status) bool {
	in := h.Intent(s.Intent)
	return in == nil || s.Tenant == "" || s.Tenant == in.Tenant
}

// unreadable is what to report where a reading names no state; nil where it names one.
func unreadable(s *history.Status) *rule.Finding {
	var f rule.Finding
	switch {
	case s == nil:
		f = rule.Inconclusive(verdict.Harness, "the status was not read")
	case s.State != "":
		return nil
	case s.HTTP == 0:
		f = rule.Inconclusive(verdict.Environment, "the status could not be read: %s", s.Error)
	case s.HTTP == 429, s.HTTP >= 500:
		f = rule.Inconclusive(verdict.Target, "reading the status was answered %d", s.HTTP)
	case s.HTTP >= 300:
		f = rule.Fail(verdict.Strong, "reading the status was answered %d", s.HTTP)
	default:
		f = rule.Inconclusive(verdict.Environment, "the status reads %q, which status.states does not map", s.Raw)
	}
	return &f
}

// says describes a reading.
func says(s *history.Status) string {
	if s.Raw != "" && s.Raw != s.State {
		return fmt.Sprintf("%s (%q)", s.State, s.Raw)
	}
	return s.State
}

// named tells where an answer names a value: in its body or a link. Other headers are not searched, since numbers in them
// match by accident.
func named(a *history.Answer, what string) string {
	for _, at := range rule.Places(a, what) {
		if !strings.HasPrefix(at, "header ") || at == "header Location" || at == "header Content-Location" || at == "header Link" {
			return at
		}
	}
	return ""
}

func one(f rule.Finding) []rule.Finding { return []rule.Finding{f} }
