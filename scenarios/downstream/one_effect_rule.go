package downstream

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func oneEffectRule(c rule.Case) []rule.Finding {
	var against []rule.Finding
	operations := 0
	for _, h := range c.Histories {
		for _, in := range soleIntents(c, h) {
			switch problem, unread := rule.AtMost(h, in.ID, 1, history.Ledger); {
			case problem != "":
				against = append(against, rule.Fail(verdict.Strong, "%s", problem).At(h.ID))
			case unread == "":
				operations++
			}
		}
	}
	switch {
	case len(against) > 0:
		return against
	case operations == 0:
		return []rule.Finding{rule.NotAssessed("no operation's downstream bookings were read").At(c.IDs()...)}
	}
	return []rule.Finding{rule.Pass(verdict.Strong, "%d operations, none booked twice", operations).At(c.IDs()...)}
}
