package race

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func changedPayloadRule(c rule.Case) []rule.Finding {
	return judged(c, changedPayloadOf, "one of the payloads was executed, once")
}

func changedPayloadOf(c rule.Case, h *history.History, intent string) rule.Finding {
	kinds := countable(h, intent)
	if len(kinds) == 0 {
		return rule.NotAssessed("a value that moves by the payload cannot tell which of two payloads moved it")
	}
	if tooMany, _ := rule.AtMost(h, intent, 1, kinds...); tooMany != "" {
		return rule.Fail(verdict.Strong, "both payloads were executed, or one of them twice: %s", tooMany)
	}
	tooFew, unread := rule.Exactly(h, intent, 1, kinds...)
	winners := winners(c, h, intent)
	switch {
	case unread != "":
		return rule.Inconclusive(verdict.Environment, "%s", unread)
	case len(winners) > 0 && tooFew != "":
		return rule.Fail(verdict.Strong, "%s: %s", rule.Vanished, tooFew)
	case len(winners) == 2 && !mayReplay(c):
		return rule.Fail(verdict.Strong, "one payload's result was given as the answer to the other: both were answered with a success, and there is one effect")
	case len(winners) == 0:
		return unwon(c, h, intent)
	}
	for _, a := range h.AttemptsOf(intent) {
		if problem := loserProblem(c, a); problem != "" {
			return rule.Fail(verdict.Strong, "a %s attempt %s", a.Label, problem)
		}
	}
	return rule.Pass(verdict.Strong, "one payload was executed, once")
}

// countable are the kinds of probes that see an effect whatever the payload. A value moves by what the payload says.
func countable(h *history.History, intent string) (kinds []string) {
	for _, t := range rule.Tallies(h, intent) {
		if t.Kind != history.Value {
			kinds = append(kinds, t.Kind)
		}
	}
	return kinds
}

// winners are the payloads (by variant) that were answered with a success.
func winners(c rule.Case, h *history.History, intent string) map[string]bool {
	won := map[string]bool{}
	for _, a := range h.AttemptsOf(intent) {
		if c.Succeeded(a) {
			won[a.Variant] = true
		}
	}
	return won
}

// mayReplay tells whether a contract answers a changed payload with the first one's result, or does not say.
func mayReplay(c rule.Case) bool {
	return c.Contract.Mismatch.Action != contract.ActionRefuse || c.Contract.Fingerprint.Mode == contract.ModeNone
}

func unwon(c rule.Case, h *history.History, intent string) rule.Finding {
	for _, a := range h.AttemptsOf(intent) {
		if a.Link.RequestWhole {
			return rule.Fail(verdict.Strong, "neither payload got a result, also not when it was sent again; the last attempt was answered %s", c.Says(a))
		}
	}
	return rule.Inconclusive(verdict.Environment, "no request reached the target whole")
}

// loserProblem says what is wrong with the answer of one that did not win: it is refused or told to wait.
func loserProblem(c rule.Case, a *history.Attempt) string {
	if a.Outcome != history.Answered || a.Answer == nil || c.Succeeded(a) || c.Class(a) == contract.InFlightAnswer {
		return ""
	}
	if status := a.Answer.Status; status < 400 || status > 499 {
		return fmt.Sprintf("was answered %s, neither refused nor told to wait", c.Says(a))
	}
	return ""
}
