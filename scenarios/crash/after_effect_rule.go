package crash

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
)

// afterEffectRule also judges what crash/after-claim left of a target that had made its effect by then.
func afterEffectRule(c rule.Case, h *history.History) []rule.Finding {
	return killedIn(c, h, history.AfterEffect)
}
