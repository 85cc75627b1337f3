package crash

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func durableRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	if no := c.NoResult("the first attempt", first); no != nil {
		return no
	}
	_, missing := killOf(h)
	f := c.Once(h, first, missing, verdict.Strong)
	if f.Outcome != verdict.Pass {
		return one(f)
	}
	before := first
	for _, a := range h.Attempts("before") {
		if c.Succeeded(a) {
			before = a // how replays fall short of the first answer is a question of its own
		}
	}
	if changed := changedBy(c, before, c.End(h, first.Intent).Last); changed != "" {
		return one(rule.Fail(verdict.Strong, "one effect, but the replay after the restart is not what it was before: %s", changed))
	}
	return one(f)
}

// changedBy says how a replay falls short of an earlier answer under the declared fidelity.
func changedBy(c rule.Case, first, again *history.Attempt) string {
	if !c.Contract.Fidelity.CoversBody() {
		return ""
	}
	if first.Answer.Status != again.Answer.Status {
		return c.Says(again) + " after " + c.Says(first)
	}
	if likeness, detail := rule.CompareBodies(first.Answer.Body, again.Answer.Body, c.Contract.Volatile); likeness == rule.Unlike {
		return detail
	}
	return ""
}
