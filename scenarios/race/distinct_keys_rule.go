package race

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func distinctKeysRule(c rule.Case) []rule.Finding {
	var together overlap
	var against []rule.Finding
	for _, h := range c.Histories {
		together.add(h)
		for _, in := range h.Intents {
			if f := ownEffect(c, h, in); f.Outcome != verdict.Pass {
				against = append(against, f.At(h.ID))
			}
		}
	}
	if len(against) > 0 {
		return against
	}
	return []rule.Finding{together.passed(c, "each key has its effect")}
}

// ownEffect judges one of the keys. It may have been told to come back, as by a target that takes one request at a time.
func ownEffect(c rule.Case, h *history.History, in history.Intent) rule.Finding {
	if rule.Unseen(h, in.ID) {
		return rule.NotAssessed("no probe can tell operations apart that run at once: give the operation unique fields or a setup")
	}
	end := c.End(h, in.ID)
	switch end.How {
	case rule.Done:
		return rule.Pass(verdict.Weak, "%s", end.Detail)
	case rule.Unread:
		return rule.Inconclusive(verdict.Environment, "%s", end.Detail)
	case rule.Duplicated, rule.Vanished, rule.Confused:
		return rule.Fail(verdict.Weak, "key %s, %s: %s", in.ID, end.How, end.Detail)
	}
	if end.Last == nil || !end.Last.Link.RequestWhole {
		return rule.Inconclusive(verdict.Environment, "the request with key %s did not reach the target whole", in.ID)
	}
	return rule.Fail(verdict.Weak, "key %s was not carried out: %s", in.ID, end.Detail)
}
