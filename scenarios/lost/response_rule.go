package lost

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func responseRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	return exactlyOnce(c, h, first, answerKept(first), verdict.Strong)
}

// answerKept says what is missing of the proof that the target had answered and the client got nothing of it.
func answerKept(a *history.Attempt) (missing string) {
	if missing := whole(a); missing != "" {
		return missing
	}
	switch {
	case a.Link.ResponseBytes == 0:
		return "the target began no answer"
	case a.Link.ForwardedBytes > 0 || a.Outcome != history.Lost:
		return "something of the answer reached the client"
	}
	return ""
}
