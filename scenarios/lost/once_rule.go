package lost

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// exactlyOnce judges what all of this pack ask: that after the retry there is one effect, and that the retry was answered
// with it. Missing names what lacks of the proof that the fault landed; without that there is no pass, but a second effect
// is one however it came about.
func exactlyOnce(c rule.Case, h *history.History, faulted *history.Attempt, missing string, p verdict.Proof) []rule.Finding {
	if faulted == nil {
		return one(rule.Inconclusive(verdict.Harness, "the attempt to be broken was not sent"))
	}
	end := c.End(h, faulted.Intent)
	if missing != "" {
		p = verdict.Weak
	}
	switch end.How {
	case rule.Duplicated, rule.Vanished, rule.Confused:
		return one(rule.Fail(p, "%s: %s", end.How, end.Detail))
	case rule.Unread:
		return one(rule.Inconclusive(verdict.Environment, "%s", end.Detail))
	}
	if missing != "" {
		return one(rule.Inconclusive(verdict.Environment, "the fault did not land: %s", missing))
	}
	if end.Last == faulted {
		return one(rule.Inconclusive(verdict.Harness, "no retry was sent"))
	}
	switch end.How {
	case rule.Open:
		if end.Last.Outcome == history.Unsent {
			return one(rule.Inconclusive(verdict.Environment, "the retry never reached the target: %s", end.Last.Reason))
		}
		return one(rule.Fail(p, "stuck: %s", end.Detail))
	case rule.Denied:
		if end.Effects == 1 && onlyEffects(c) {
			return one(rule.Pass(p, "%s; the contract promises no more than the effect", end.Detail))
		}
		return one(rule.Fail(p, "the retry did not get the result: %s", end.Detail))
	}
	return one(rule.Pass(p, "%s", end.Detail))
}

// onlyEffects tells whether a contract lets a duplicate be refused: it promises the effect, and no answer to the retry.
func onlyEffects(c rule.Case) bool {
	return c.Contract.Fidelity == "" || c.Contract.Fidelity == contract.FidelityEffect
}

// whole says what is missing of the proof that the target had the whole request.
func whole(a *history.Attempt) (missing string) {
	switch {
	case a == nil:
		return "the attempt was not sent"
	case !a.Link.Reached:
		return "the target was not reached"
	case !a.Link.RequestWhole:
		return fmt.Sprintf("only %d bytes of the request were forwarded", a.Link.RequestBytes)
	}
	return ""
}

func one(f rule.Finding) []rule.Finding { return []rule.Finding{f} }
