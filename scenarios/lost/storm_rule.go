package lost

import (
	"fmt"
	"math"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/linear"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// stormRule asks three things of a storm: that every intent ended with one effect and its result, that the reference explains
// what was told under each key, and that the storm was one. A second effect is one however it came about; without proof of the
// faults there is no pass.
func stormRule(c rule.Case, h *history.History) []rule.Finding {
	if h.Storm == nil {
		return nil // what was said beside the rounds
	}
	unseen, doubt := 0, ""
	for _, in := range h.Intents {
		if rule.Unseen(h, in.ID) {
			unseen++
			continue
		}
		f := stormEnd(c, h, in.ID)
		if outlived(c, h, in.ID) {
			f = rule.Inconclusive(verdict.Environment, "its key may have been forgotten meanwhile: the storm took longer than the lifetime of %v", c.Contract.Lifetime)
		}
		switch f.Outcome {
		case verdict.Fail:
			f.Detail = fmt.Sprintf("%s %s%s", in.ID, f.Detail, playedAgain(h))
			return []rule.Finding{f}
		case verdict.Inconclusive:
			doubt = in.ID + ": " + f.Detail
		}
	}
	if len(h.Intents) > 0 && unseen == len(h.Intents) {
		return []rule.Finding{rule.NotAssessed("no probe can tell operations apart that run at once: give the operation unique fields or a setup")}
	}
	told, f := explained(c, h)
	landed, missing := stormLanded(h)
	switch {
	case f.Outcome == verdict.Fail:
		f.Detail += playedAgain(h)
		return []rule.Finding{f}
	case doubt != "":
		return []rule.Finding{rule.Inconclusive(verdict.Environment, "%s", doubt)}
	case f.Outcome == verdict.Inconclusive:
		return []rule.Finding{f}
	case missing != "":
		return []rule.Finding{rule.Inconclusive(verdict.Environment, "the storm is not proven: %s", missing)}
	}
	return []rule.Finding{rule.Pass(verdict.Strong, "%d intents, each done once; %s; %s", len(h.Intents)-unseen, told, landed)}
}

// stormEnd is the linear rule on one intent: after the storm everybody came back once, so that each has its result.
func stormEnd(c rule.Case, h *history.History, intent string) rule.Finding {
	end := c.End(h, intent)
	switch {
	case end.Last == nil:
		return rule.Inconclusive(verdict.Harness, "no attempt was sent")
	case end.Broken():
		return rule.Fail(verdict.Strong, "%s: %s", end.How, end.Detail)
	case end.How == rule.Unread:
		return rule.Inconclusive(verdict.Environment, "%s", end.Detail)
	case end.How == rule.Done:
		return rule.Pass(verdict.Strong, "%s", end.Detail)
	case !end.Last.Link.Reached:
		return rule.Inconclusive(verdict.Environment, "the last attempt did not reach the target: %s", end.Last.Reason)
	case end.Effects == 1 && c.Contract.Fidelity.OnlyEffect():
		return rule.Pass(verdict.Strong, "%s; the contract promises no more than the effect", end.Detail)
	case end.How == rule.Open && c.Contract.Recovery.StuckAllowed && len(h.Faults(history.FaultKill)) > 0:
		return rule.Pass(verdict.Strong, "stuck but safe after a kill, as declared: %s", end.Detail)
	case end.How == rule.Open:
		return rule.Fail(verdict.Strong, "is stuck: %s", end.Detail)
	}
	return rule.Fail(verdict.Strong, "did not get its result: %s", end.Detail)
}

// explained asks the reference about every key.
func explained(c rule.Case, h *history.History) (told string, f rule.Finding) {
	model := linear.New(c.Contract, h)
	ordered, hot := 0, 0
	for _, in := range h.Intents {
		if rule.Unseen(h, in.ID) || outlived(c, h, in.ID) {
			continue
		}
		switch e := model.Explain(in.ID); e.How {
		case linear.Unexplained:
			return "", rule.Fail(verdict.Strong, "%s: %s", in.ID, e.Detail)
		case linear.TooLong:
			f = rule.Inconclusive(verdict.Harness, "%s: %s", in.ID, e.Detail)
		case linear.TooHot:
			hot++
		default:
			ordered += e.Operations
		}
	}
	told = fmt.Sprintf("the reference explains %d operations", ordered)
	if hot > 0 {
		told += fmt.Sprintf(", and %s with too many attempts for that", rule.Plural(hot, "key"))
	}
	return told, f
}

// outlived tells whether a key was in use for so long that its operation need not be remembered any more.
func outlived(c rule.Case, h *history.History, intent string) bool {
	if c.Contract.Lifetime == 0 {
		return false
	}
	from, to := int64(math.MaxInt64), int64(0)
	for _, a := range h.AttemptsOf(intent) {
		from, to = min(from, a.Began), max(to, a.Ended)
	}
	return to-from >= c.Contract.Lifetime.Microseconds()
}

// playedAgain says how a failure can be seen again.
func playedAgain(h *history.History) string {
	text := ""
	if s := h.Storm; s.Plays > 0 {
		text = fmt.Sprintf(" (%s, failed %d of %d times)", rule.Plural(len(s.Schedule.Calls), "call"), s.Failed, s.Plays)
	}
	return text + fmt.Sprintf("; `oncespec replay` plays storms/%s/schedule.json again: the same schedule, not the operating system's choices", h.ID)
}
