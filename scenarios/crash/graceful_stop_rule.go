package crash

import (
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func gracefulStopRule(c rule.Case, h *history.History) (all []rule.Finding) {
	firsts := h.Attempts("first")
	if len(firsts) == 0 {
		return one(c.Once(h, nil, "", verdict.Strong))
	}
	for _, first := range firsts {
		all = append(all, stoppedAt(c, h, first))
	}
	return all
}

// stoppedAt judges one of the operations that the target was at work on.
func stoppedAt(c rule.Case, h *history.History, first *history.Attempt) rule.Finding {
	f := c.Once(h, first, notStoppedAtWork(h, first), verdict.Strong)
	if f.Outcome == verdict.Inconclusive && stopped(h) && !h.Has(string(catalogue.NeedGate)) && !h.Has(string(catalogue.NeedStoreLink)) {
		return rule.NotAssessed("nothing can hold the operation up while the target is asked to end: add target.downstream or target.store")
	}
	if f.Outcome != verdict.Pass {
		return f
	}
	how := "finished before it ended"
	if !c.Succeeded(first) {
		how = "taken up again after the restart"
	}
	if stop := h.Faults(history.FaultStop)[0]; stop.Forced {
		how += ", and it had to be killed"
	}
	f.Detail = how + ": " + f.Detail
	return f
}

// notStoppedAtWork says what is missing of the proof that the target was at work on the attempt when it was asked to end.
func notStoppedAtWork(h *history.History, first *history.Attempt) (missing string) {
	if missing := rule.NotWhole(first); missing != "" {
		return missing
	}
	if !stopped(h) {
		return "the target was not seen to end"
	}
	stops := h.Faults(history.FaultStop)
	switch {
	case first.Link.LastRequestAt > stops[0].Given:
		return "the request came after the target was asked to end"
	case first.Link.FirstByteAt > 0 && first.Link.FirstByteAt < stops[0].Given:
		return "the operation was over before the target was asked to end"
	}
	return ""
}

// stopped tells whether the target was asked to end, and seen to.
func stopped(h *history.History) bool {
	stops := h.Faults(history.FaultStop)
	return len(stops) > 0 && stops[0].Landed
}
