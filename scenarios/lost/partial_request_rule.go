package lost

import (
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func partialRequestRule(c rule.Case, h *history.History) []rule.Finding {
	var findings []rule.Finding
	if alone := h.First("alone"); alone != nil {
		findings = append(findings, noEffect(h, alone))
	}
	if first := h.First("first"); first != nil {
		if early := earlyEffect(h, first); early != "" {
			return append(findings, rule.Fail(verdict.Strong, "acted on half a request: %s", early))
		}
		findings = append(findings, c.Once(h, first, requestCut(first), verdict.Strong))
	}
	return findings // none for the history of the control
}

// noEffect judges a request that was cut and never retried.
func noEffect(h *history.History, alone *history.Attempt) rule.Finding {
	if missing := requestCut(alone); missing != "" {
		return rule.Inconclusive(verdict.Environment, "the fault did not land: %s", missing)
	}
	if rule.Unseen(h, alone.Intent) {
		return rule.NotAssessed("no probe can tell a request that was left alone from others")
	}
	switch problem, unread := rule.AtMost(h, alone.Intent, 0); {
	case problem != "":
		return rule.Fail(verdict.Strong, "acted on half a request that was never completed: %s", problem)
	case unread != "":
		return rule.Inconclusive(verdict.Environment, "%s", unread)
	}
	return rule.Pass(verdict.Strong, "no effect of %d bytes of a request", alone.Link.RequestBytes)
}

// earlyEffect names an effect that was there before the retry.
func earlyEffect(h *history.History, first *history.Attempt) string {
	if requestCut(first) != "" {
		return ""
	}
	for _, o := range h.Observations(first.Intent, "cut") {
		if o.Error == "" && (o.Count > 0 || o.Odd != "") {
			return fmt.Sprintf("%s shows %d before the retry was sent", o.Probe, o.Count)
		}
	}
	return ""
}

// requestCut says what is missing of the proof that the target got a part of the request and no more.
func requestCut(a *history.Attempt) (missing string) {
	switch {
	case !a.Link.Reached:
		return "the target was not reached"
	case a.Link.RequestWhole || !a.Link.Cut:
		return "the request went through whole"
	case a.Link.RequestBytes == 0:
		return "nothing of the request was forwarded"
	}
	return ""
}
