package lost

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func partialResponseRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	return []rule.Finding{c.Once(h, first, answerCut(first), verdict.Strong)}
}

// answerCut says what is missing of the proof that the client got a part of the answer and no more.
func answerCut(a *history.Attempt) (missing string) {
	if missing := rule.NotWhole(a); missing != "" {
		return missing
	}
	switch {
	case a.Link.ResponseBytes == 0:
		return "the target began no answer"
	case a.Link.ForwardedBytes == 0:
		return "nothing of the answer reached the client"
	case !a.Link.Cut:
		return "the answer was not cut"
	case a.Outcome != history.Lost:
		return "the client took the cut answer for a whole one"
	}
	return ""
}
