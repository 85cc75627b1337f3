package crash

import (
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// storeLinkRule judges all cuts of an operation. One that came too late is no test, where others came in time.
func storeLinkRule(c rule.Case) (all []rule.Finding) {
	var landed, ids []string
	var late []rule.Finding
	for _, h := range c.Histories {
		first := h.First("first")
		if first == nil {
			continue // the calibration
		}
		missing := notCutAtWork(h, first)
		f := c.Once(h, first, missing, verdict.Strong).At(h.ID)
		switch {
		case f.Outcome == verdict.Pass:
			landed, ids = append(landed, h.Trial), append(ids, h.ID)
		case missing == "" || f.Outcome == verdict.Fail:
			f.Detail = "cut at " + h.Trial + " of the database: " + f.Detail
			all = append(all, f)
		default:
			late = append(late, f)
		}
	}
	switch {
	case len(landed) > 0:
		all = append(all, rule.Pass(verdict.Strong, "one effect each, cut at these pieces on the way to and from the database: %s", strings.Join(landed, ", ")).At(ids...))
	case len(late) > 0:
		all = append(all, late...)
	case len(all) == 0:
		all = append(all, rule.Inconclusive(verdict.Environment, "no unfaulted attempt reached the database").At(c.IDs()...))
	}
	return all
}

// notCutAtWork says what is missing of the proof that the target was cut off from its database while it was at work on the
// attempt.
func notCutAtWork(h *history.History, first *history.Attempt) (missing string) {
	if missing := rule.NotWhole(first); missing != "" {
		return missing
	}
	cut := int64(0)
	for _, e := range h.Events {
		if e.Fault != nil && e.Fault.Kind == history.FaultStoreCut && e.Fault.Landed {
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
