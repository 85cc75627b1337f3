package lost

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func slowResponseRule(c rule.Case, h *history.History) []rule.Finding {
	first, during := h.First("first"), h.First("during")
	missing := rule.NotWhole(first)
	if missing == "" {
		missing = unanswered(h, first)
	}
	if missing == "" {
		missing = retriedDuring(h, first, during)
	}
	return unlessAsynchronous(h, first, []rule.Finding{c.Once(h, first, missing, verdict.Strong)})
}

// unanswered says what is missing of the proof that the client went away before the work, or its answer, was over.
func unanswered(h *history.History, first *history.Attempt) (missing string) {
	if first.Outcome != history.Lost {
		return "the client was answered before it went away"
	}
	if h.Trial != trialWork {
		return rule.NotLost(first)
	}
	if _, _, held := h.Held(first.Intent); !held {
		return "the work was not held"
	}
	return ""
}

// retriedDuring says what is missing of the proof that a retry reached the target during that.
func retriedDuring(h *history.History, first, during *history.Attempt) (missing string) {
	if missing := rule.NotWhole(during); missing != "" {
		return "the retry during the work: " + missing
	}
	if from, until, held := h.Held(first.Intent); held && (during.Link.LastRequestAt < from || during.Link.LastRequestAt > until) {
		return "the retry did not arrive while the work was held"
	}
	return ""
}

// unlessAsynchronous replaces an inconclusive finding where the target answers before it calls downstream: its client is
// never left waiting for work that is held there.
func unlessAsynchronous(h *history.History, first *history.Attempt, findings []rule.Finding) []rule.Finding {
	inconclusive := len(findings) == 1 && findings[0].Outcome == verdict.Inconclusive
	if inconclusive && h.Trial == trialWork && first != nil && first.Outcome == history.Answered {
		return []rule.Finding{rule.NotAssessed("the target answers before its downstream call, so that no client waits for it")}
	}
	return findings
}
