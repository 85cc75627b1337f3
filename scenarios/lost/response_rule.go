package lost

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func responseRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	return []rule.Finding{c.Once(h, first, rule.NotLost(first), verdict.Strong)}
}
