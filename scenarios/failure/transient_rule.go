package failure

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func transientRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	if first == nil {
		return one(rule.Inconclusive(verdict.Harness, "the attempt that should fail was not sent"))
	}
	end := c.End(h, first.Intent)
	switch end.How {
	case rule.Duplicated, rule.Vanished, rule.Confused:
		return one(rule.Fail(verdict.Strong, "%s: %s", end.How, end.Detail))
	case rule.Unread:
		return one(rule.Inconclusive(verdict.Environment, "%s", end.Detail))
	}
	switch {
	case !rule.BookingRefused(h, first.Intent):
		return one(rule.Inconclusive(verdict.Environment, "the fault did not land: no downstream call of the operation was refused"))
	case end.Last == first || !end.Last.Link.Reached:
		return one(rule.Inconclusive(verdict.Environment, "no retry reached the target"))
	case end.How == rule.Done:
		return one(rule.Pass(verdict.Strong, "the first attempt was answered %s; after downstream had recovered there is %s", c.Says(first), end.Detail))
	case c.Class(end.Last) == contract.InFlightAnswer, end.Last.Answer == nil:
		return one(rule.Fail(verdict.Strong, "the key was left unusable: %s", end.Detail))
	case keeps(c, end.Last.Answer.Status) == "no":
		return one(rule.Fail(verdict.Strong, "the failure is kept, where the contract lets it be tried again: %s", end.Detail))
	}
	return one(rule.Pass(verdict.Strong, "the failure is stored: %s", end.Detail))
}

// keeps says what the contract declares of an answer with the status: "yes" it is stored, "no" it is tried again, or "" either.
func keeps(c rule.Case, status int) string {
	word := c.Contract.Stored.ClientErrors
	if status >= 500 {
		word = c.Contract.Stored.ServerErrors
	}
	if word == "" {
		word = map[string]string{"replay": "yes", "execute": "no", "resume": "no"}[c.Contract.FailedRetry]
	}
	return word
}

func one(f rule.Finding) []rule.Finding { return []rule.Finding{f} }
