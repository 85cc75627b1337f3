package race

import (
	"slices"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// replicasRule is that of race/one-effect, over trials whose duplicates met in different instances.
func replicasRule(c rule.Case) []rule.Finding {
	var together overlap
	for _, h := range c.Histories {
		for _, b := range h.Bursts("") {
			if spread(h, b) {
				together.addBurst(h, b)
			} else {
				together.bursts++
			}
		}
	}
	if against := eachIntent(c, oneEffectOf); len(against) > 0 {
		return against
	}
	if together.bursts > 0 && together.atWork+together.inFlight == 0 {
		return []rule.Finding{rule.Inconclusive(verdict.Environment, "in %d bursts no two duplicates reached different replicas together that answered any", together.bursts).At(c.IDs()...)}
	}
	return []rule.Finding{together.passed(c, "one effect each, whichever replica was asked")}
}

// spread tells whether duplicates of one intent were in flight at different instances at one moment. An instance that answers none
// of a burst may have done nothing with it.
func spread(h *history.History, b *history.Burst) bool {
	all := burst(h, b)
	for _, one := range all {
		for _, other := range all {
			if one.Intent == other.Intent && one.Replica != other.Replica && besides(one, other) && answers(all, one.Replica) && answers(all, other.Replica) {
				return true
			}
		}
	}
	return false
}

func answers(all []*history.Attempt, replica int) bool {
	return slices.ContainsFunc(all, func(a *history.Attempt) bool { return a.Replica == replica && a.Outcome == history.Answered })
}
