package race

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func distinctKeysRule(c rule.Case) []rule.Finding {
	findings := judged(c, ownEffect, "each key has its effect, in time")
	if late := inTime(c); late != nil {
		findings = append(findings, *late)
	}
	return findings
}

// inTime judges how long the requests took: one by one each is answered within the client's limit, so they have to be together
// too. A single round beyond the limit may be the machine's fault.
func inTime(c rule.Case) *rule.Finding {
	requests, bursts := 0, 0
	var at []string
	for _, h := range c.Histories {
		for _, b := range h.Bursts("") {
			late := 0
			for _, a := range burst(h, b) {
				if a.TimedOut && a.Link.RequestWhole {
					late++
				}
			}
			if bursts++; late > 0 {
				requests += late
				at = append(at, h.ID)
			}
		}
	}
	var f rule.Finding
	switch {
	case len(at) == 0:
		return nil
	case len(at) == 1:
		f = rule.Inconclusive(verdict.Environment, "%d requests with keys of their own were not answered within the client's time limit, once in %d bursts", requests, bursts)
	default:
		f = rule.Fail(verdict.Strong, "%d requests with keys of their own were not answered within the client's time limit, in %d of %d bursts; one by one they are",
			requests, len(at), bursts)
	}
	f = f.At(at...)
	return &f
}

// ownEffect judges one of the keys. It may have been told to come back, as by a target that takes one request at a time.
func ownEffect(c rule.Case, h *history.History, intent string) rule.Finding {
	if rule.Unseen(h, intent) {
		return rule.NotAssessed("no probe can tell operations apart that run at once: give the operation unique fields or a setup")
	}
	f := oneEffectOf(c, h, intent)
	f.Detail = "key " + intent + ": " + f.Detail
	return f
}
