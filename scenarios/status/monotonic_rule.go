package status

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// monotonicRule reads every status of every history.
func monotonicRule(c rule.Case) []rule.Finding {
	var against []rule.Finding
	kept := 0
	for _, h := range c.Histories {
		for _, in := range h.Intents {
			switch before, after := changedBack(c, h, in.ID); {
			case after != nil:
				against = append(against, rule.Fail(verdict.Strong, "it read %s (%s), and then %s (%s)", says(before), before.Moment, says(after), after.Moment).At(h.ID))
			case before != nil:
				kept++
			}
		}
	}
	switch {
	case len(against) > 0:
		return against
	case kept == 0:
		return []rule.Finding{rule.NotAssessed("no final state was read twice").At(c.IDs()...)}
	}
	return []rule.Finding{rule.Pass(verdict.Strong, "%d operations kept the final state that they read before", kept).At(c.IDs()...)}
}

// changedBack finds a final state as the owner read it, and the first later reading that differs. after is nil where later
// readings agreed; both are nil where no final state was read twice.
func changedBack(c rule.Case, h *history.History, intent string) (before, after *history.Status) {
	var final *history.Status
	for _, e := range h.Events {
		if e.Attempt != nil && e.Attempt.Intent == intent && final != nil && final.State == history.Failed && c.Contract.FailedRetry != "replay" {
			final = nil // a failed operation may be tried again
		}
		s := e.Status
		switch {
		case s == nil || s.Intent != intent || s.State == "" || !mine(h, s):
		case final != nil && s.State != final.State:
			return final, s
		case final != nil:
			before = final
		case s.State == history.Succeeded || s.State == history.Failed:
			final = s
		}
	}
	return before, nil
}
