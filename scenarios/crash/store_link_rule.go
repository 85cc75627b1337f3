package crash

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// storeLinkRule judges all cuts of an operation. One that came too late is no test, where others came in time.
func storeLinkRule(c rule.Case) (all []rule.Finding) {
	landed := 0
	var late []rule.Finding
	for _, h := range c.Histories {
		first := h.First("first")
		if first == nil {
			continue // the calibration
		}
		missing := notCutAtWork(h, first)
		f := c.Once(h, first, missing, verdict.Strong).At(h.ID)
		switch {
		case missing == "":
			landed++
			f.Detail = "cut at " + h.Trial + " of the database: " + f.Detail
		case f.Outcome == verdict.Inconclusive:
			late = append(late, f)
			continue
		}
		all = append(all, f)
	}
	if landed == 0 && len(late) == 0 {
		late = append(late, rule.Inconclusive(verdict.Environment, "no unfaulted attempt reached the database").At(c.IDs()...))
	}
	if landed == 0 {
		all = append(all, late...)
	}
	return all
}

// notCutAtWork says what is missing of the proof that the target was cut off from its database while it was at work on the attempt.
func notCutAtWork(h *history.History, first *history.Attempt) (missing string) {
	if missing := rule.NotWhole(first); missing != "" {
		return missing
	}
	cut := int64(0)
	for _, e := range h.Events {
		if e.Fault != nil && e.Fault.Kind == "store-cut" && e.Fault.Landed {
			cut = e.At
		}
	}
	switch {
	case cut == 0:
		return "no connection to the database was cut"
	case first.Link.LastRequestAt > cut:
		return "the request came after the cut"
	case first.Link.FirstByteAt > 0 && first.Link.FirstByteAt < cut:
		return "it had begun to answer before the cut"
	}
	return ""
}
