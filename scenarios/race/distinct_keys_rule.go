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
	together.detection = detection{} // no two requests are duplicates here
	return []rule.Finding{together.passed(c, "each key has its effect")}
}

// ownEffect judges one of the keys. It may have been told to come back, as by a target that takes one request at a time.
func ownEffect(c rule.Case, h *history.History, in history.Intent) rule.Finding {
	if rule.Unseen(h, in.ID) {
		return rule.NotAssessed("no probe can tell operations apart that run at once: give the operation unique fields or a setup")
	}
	f := oneEffectOf(c, h, in.ID)
	f.Detail = "key " + in.ID + ": " + f.Detail
	return f
}
