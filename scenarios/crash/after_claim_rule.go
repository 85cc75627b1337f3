package crash

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
)

func afterClaimRule(c rule.Case, h *history.History) []rule.Finding {
	return killedIn(c, h, history.AfterClaim)
}
