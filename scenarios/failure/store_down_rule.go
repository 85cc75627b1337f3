package failure

import (
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func storeDownRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	if first == nil {
		return nil // the history that only lists the trials
	}
	return one(storeDownOf(c, h, first).In(h.Trial))
}

func storeDownOf(c rule.Case, h *history.History, first *history.Attempt) rule.Finding {
	back, missing := storeGone(h)
	executed := executedBefore(h, first.Intent, back)
	switch {
	case c.Succeeded(first) && first.Ended < back && missing == "":
		return rule.Fail(verdict.Strong, "answered %s although its database could not be reached: nothing protects what it did from being done again", c.Says(first))
	case executed != "" && missing == "":
		return rule.Fail(verdict.Strong, "executed although its database could not be reached: %s", executed)
	}
	if missing == "" {
		missing = rule.NotWhole(first)
	}
	f := c.Once(h, first, missing, verdict.Strong)
	if f.Outcome == verdict.Pass {
		f.Detail = fmt.Sprintf("without its database it was answered %s; with it again: %s", c.Says(first), f.Detail)
	}
	return f
}

// storeGone tells when the database was back, and what is missing of the proof that the target was without it until then.
func storeGone(h *history.History) (back int64, missing string) {
	for _, e := range h.Events {
		if e.Fault != nil && (e.Fault.Kind == history.FaultStoreMend || e.Fault.Kind == history.FaultStoreSilence) {
			if !e.Fault.Landed {
				return e.At, "the target did not try to reach its database meanwhile, and no connection was cut"
			}
			return e.At, ""
		}
	}
	return 0, "its database was not taken away"
}

// executedBefore names an effect that showed, or a booking that was made, before the moment.
func executedBefore(h *history.History, intent string, moment int64) string {
	for _, e := range h.Events {
		o := e.Observation
		if o != nil && o.Intent == intent && o.Moment == "down" && o.Kind != history.Ledger && o.Error == "" && o.Count > 0 {
			return fmt.Sprintf("%s shows %s", o.Probe, rule.Plural(o.Count, "effect"))
		}
	}
	for _, call := range rule.Calls(h, intent) {
		if call.Booked && call.At < moment {
			return "its downstream call was booked"
		}
	}
	return ""
}
