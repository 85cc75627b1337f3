package crash

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func afterRecordRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	return one(c.Once(h, first, killedAnswering(h, first), verdict.Strong))
}

// killedAnswering says what is missing of the proof that the target died after its answer began, and that the client got
// nothing of it.
func killedAnswering(h *history.History, first *history.Attempt) (missing string) {
	if missing := rule.NotWhole(first); missing != "" {
		return missing
	}
	kill, missing := killOf(h)
	switch {
	case missing != "":
		return missing
	case kill.Phase != history.AfterRecord || first.Link.FirstByteAt == 0:
		return "the target's answer had not begun when it was killed"
	case first.Link.ForwardedBytes > 0 || first.Outcome != history.Lost:
		return "something of the answer reached the client"
	}
	return ""
}
