package lost

import (
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// clientGoneRule: where the target stores failures, work that was broken off may be kept as one; nothing was done then.
func clientGoneRule(c rule.Case, h *history.History) []rule.Finding {
	if h.First("control") != nil {
		return nil
	}
	first := h.First("first")
	missing := gone(h, first)
	if missing == "" && c.Contract.Stored.ServerErrors == "yes" {
		if end := c.End(h, first.Intent); end.How == rule.Denied && end.Effects == 0 {
			return []rule.Finding{rule.Pass(verdict.Strong, "broken off and stored as a failure, as declared: %s", end.Detail)}
		}
	}
	f := c.Once(h, first, missing, verdict.Strong)
	if missing != "" && f.Outcome == verdict.Inconclusive && strings.HasPrefix(h.Trial, trialMiddle) {
		return []rule.Finding{rule.NotAssessed("not in the middle of the work this time: %s", missing)}
	}
	return unlessAsynchronous(h, first, []rule.Finding{f})
}

// gone says what is missing of the proof that the client went away with its request delivered and its answer unread.
func gone(h *history.History, first *history.Attempt) (missing string) {
	if missing := rule.NotWhole(first); missing != "" {
		return missing
	}
	if h.Trial == trialWork {
		return unanswered(h, first)
	}
	if first.Outcome != history.Lost {
		return "the client was answered before it went away"
	}
	return ""
}
