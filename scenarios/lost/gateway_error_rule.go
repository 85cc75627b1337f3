package lost

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func gatewayErrorRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	return []rule.Finding{c.Once(h, first, answerReplaced(first), verdict.Strong)}
}

// answerReplaced says what is missing of the proof that the target had answered and the client read somebody else's answer.
func answerReplaced(a *history.Attempt) (missing string) {
	if missing := rule.NotWhole(a); missing != "" {
		return missing
	}
	switch {
	case a.Link.ResponseBytes == 0:
		return "the target began no answer"
	case !a.Replaced || a.Outcome != history.Answered || a.Answer == nil:
		return "the client did not read the intermediary's answer"
	}
	return ""
}
