package lost

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func resetRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	return exactlyOnce(c, h, first, answerKept(first), verdict.Strong)
}
