package lost

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// slowest is how fast a whole request may come in, in microseconds, and still count as dribbled. One that is not slowed
// down takes a hundredth of it.
const slowest = 50_000

func slowRequestRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	return []rule.Finding{c.Once(h, first, dribbled(first), verdict.Strong)}
}

// dribbled says what is missing of the proof that the request came in slowly and whole.
func dribbled(a *history.Attempt) (missing string) {
	if missing := rule.NotWhole(a); missing != "" {
		return missing
	}
	if a.Link.LastRequestAt-a.Began < slowest {
		return "the request came in at once"
	}
	return ""
}
