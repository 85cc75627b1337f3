package ruletest

import "github.com/oncespec/oncespec/scenarios/history"

// ReadEarly moves every reading of the attempt's intent in front of the attempt: what the probes showed says nothing of it then.
func ReadEarly(h *history.History, a *history.Attempt) *history.History {
	var before, after, readings []history.Event
	passed := false
	for _, e := range h.Events {
		passed = passed || e.Attempt == a
		switch {
		case e.Observation != nil && e.Observation.Intent == a.Intent:
			readings = append(readings, e)
		case passed:
			after = append(after, e)
		default:
			before = append(before, e)
		}
	}
	h.Events = append(append(before, readings...), after...)
	return h
}
