package failure

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func storedRule(c rule.Case, h *history.History) []rule.Finding {
	first, again := h.First("first"), h.Last("retry")
	if first == nil || again == nil {
		return nil // the history that only lists the trials
	}
	part := part(h.Trial, first)
	switch {
	case part == "":
		return nil
	case first.Outcome != history.Answered || first.Answer == nil:
		return one(rule.NotAssessed("the first attempt broke off without an answer: %s", first.Reason).In(part))
	case first.Answer.Status < 400 && h.Trial == byDownstream:
		return nil // it does not fail when its downstream call does
	case first.Answer.Status < 400:
		return one(rule.Inconclusive(verdict.Environment, "sample %s was answered %s, where a failure is wanted", h.Trial, c.Says(first)).In(part))
	case part == "5xx" && c.Class(again) == contract.InFlightAnswer:
		return nil // a key that is left in flight is what failure/transient and failure/handler-crash are about
	case !again.Link.Reached || again.Answer == nil:
		return one(rule.Inconclusive(verdict.Environment, "the retry got no answer: %s", again.Reason).In(part))
	}
	return one(storedOf(c, h, first, again).In(part))
}

// part names what a first answer is about. A crash or an invalid payload that is answered otherwise stays what was wanted.
func part(trial string, first *history.Attempt) string {
	switch {
	case trial == "crash", first.Answer != nil && first.Answer.Status >= 500:
		return "5xx"
	case trial == "invalid", trial == "refused", first.Answer != nil && first.Answer.Status >= 400:
		return "4xx"
	}
	return "5xx"
}

func storedOf(c rule.Case, h *history.History, first, again *history.Attempt) rule.Finding {
	declared := keeps(c, first.Answer.Status)
	if h.Trial == "invalid" {
		declared = c.Contract.Stored.Validation
	}
	same := sameFailure(c, first, again)
	marked := !c.Succeeded(again) && c.Contract.Marker.OnFirst != "same" && c.Contract.Marked(again.Exchange())
	said := c.Says(first) + ", then " + c.Says(again)
	became, word := corrected(c, h, first)
	said += word
	switch {
	case c.Class(again) == contract.InFlightAnswer && c.Class(first) != contract.InFlightAnswer:
		return rule.Fail(verdict.Strong, "the failure left the key in flight: %s", said)
	case declared == "yes" && !same:
		return rule.Fail(verdict.Strong, "the contract says that the failure is answered again; it is not: %s", said)
	case declared == "yes" && became == dropped:
		return rule.Fail(verdict.Strong, "the contract says that the failure is kept; it is not: %s", said)
	case declared == "no" && marked:
		return rule.Fail(verdict.Strong, "the failure is replayed, where the contract lets it be tried again: %s, marked %s", said, c.Contract.Marker.Name)
	case declared == "no" && same && h.Trial == byDownstream:
		return rule.Fail(verdict.Strong, "the failure is answered again although downstream had recovered, where the contract lets it be tried again: %s", said)
	case declared == "no" && became == kept:
		return rule.Fail(verdict.Strong, "the failure is kept, where the contract lets it be tried again: %s", said)
	case h.Trial == byDownstream, became != untold:
		return rule.Pass(verdict.Strong, "%s", said)
	}
	return rule.Pass(verdict.Weak, "%s", said) // a failure that recurs looks like a stored one
}

// fate is what became of a failure, as another payload under the same key shows.
type fate int

const (
	untold fate = iota
	kept
	dropped
)

// corrected says what the payload that works was answered under the key of one that does not.
func corrected(c rule.Case, h *history.History, first *history.Attempt) (fate, string) {
	a := h.Last("corrected")
	switch {
	case c.Undecided(a) != "":
		return untold, ""
	case c.Class(a) == contract.Result:
		return dropped, fmt.Sprintf("; it is not kept: the payload that works was then carried out under the same key (%s)", c.Says(a))
	case sameFailure(c, first, a):
		return kept, fmt.Sprintf("; it is kept: the payload that works was then answered the same (%s)", c.Says(a))
	}
	return untold, fmt.Sprintf("; the payload that works was then answered %s", c.Says(a))
}

// sameFailure tells whether a failure was answered again, as far as the declared fidelity asks.
func sameFailure(c rule.Case, first, again *history.Attempt) bool {
	if first.Answer.Status != again.Answer.Status {
		return false
	}
	if !c.Contract.Fidelity.CoversBody() {
		return true
	}
	likeness, _ := rule.CompareBodies(first.Answer.Body, again.Answer.Body, c.Contract.Volatile)
	return likeness != rule.Unlike
}
