package race

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func inFlightRule(c rule.Case, h *history.History) []rule.Finding {
	m, f := meet(c, h)
	if f != nil {
		return []rule.Finding{*f}
	}
	action, says, waited := c.Contract.InFlight.Action, c.Says(m.duplicate), m.duplicate.Ended > m.until
	switch {
	case m.duplicate.Outcome != history.Answered || m.duplicate.Answer == nil:
		return one(rule.Inconclusive(verdict.Environment, "the duplicate got no answer: %s", m.duplicate.Reason))
	case waited && action == contract.ActionRefuse:
		return one(rule.Fail(verdict.Strong, "the duplicate had to wait for the first, where the contract refuses it"))
	case waited && c.Succeeded(m.duplicate):
		return one(rule.Pass(verdict.Strong, "the duplicate waited for the first and was answered %s", says))
	case !toldToComeBack(c, m.duplicate):
		return one(rule.Fail(verdict.Strong, "the duplicate was answered %s, which is not the declared in-flight answer", says))
	case action == contract.ActionWait:
		return one(rule.Fail(verdict.Strong, "the duplicate was answered %s, where the contract lets it wait for the result", says))
	}
	return one(rule.Pass(verdict.Strong, "the duplicate was answered %s while the first was held", says))
}

// toldToComeBack tells whether a duplicate was given the declared in-flight answer.
func toldToComeBack(c rule.Case, a *history.Attempt) bool {
	return a.Answer != nil && (c.Class(a) == contract.InFlightAnswer || a.Answer.Status < 500 && c.Contract.Refuses(contract.OnInFlight, a.Exchange()))
}

// meeting is a duplicate that arrived while the first was held.
type meeting struct {
	first, duplicate *history.Attempt
	until            int64 // when the first was let go
}

// meet finds the meeting, or what to report because there was none.
func meet(c rule.Case, h *history.History) (meeting, *rule.Finding) {
	m := meeting{first: h.First("first"), duplicate: h.First("duplicate")}
	if m.first == nil || m.duplicate == nil {
		f := rule.Inconclusive(verdict.Harness, "the duplicate was not sent")
		return m, &f
	}
	from, until, held := h.Held(m.first.Intent)
	m.until = until
	sent := m.duplicate.Link.LastRequestAt
	switch {
	case m.first.Outcome == history.Answered && m.first.Ended <= until:
		f := rule.NotAssessed("the target answers before its downstream call: there is no first in flight to meet")
		return m, &f
	case !held:
		f := rule.Inconclusive(verdict.Environment, "the first was not held at the gate")
		return m, &f
	case !m.duplicate.Link.RequestWhole || sent < from || sent > until:
		f := rule.Inconclusive(verdict.Environment, "the duplicate did not reach the target while the first was held")
		return m, &f
	case c.Succeeded(m.duplicate) && m.duplicate.Ended <= until && rule.EffectAt(h, history.WhileHeld):
		f := rule.NotAssessed("the target makes its effect before its downstream call: the duplicate got the result while that was held")
		return m, &f
	}
	return m, nil
}

func one(f rule.Finding) []rule.Finding { return []rule.Finding{f} }
