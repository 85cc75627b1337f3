package crash

import (
	"cmp"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func fencingRule(c rule.Case, h *history.History) []rule.Finding {
	first := h.First("first")
	f := c.Once(h, first, notFrozen(h, first), verdict.Strong)
	taken := takenOver(c, h)
	if f.Outcome == verdict.Pass && taken == nil {
		return one(rule.NotAssessed("nobody took over while the owner stood still: there is nobody to fence off"))
	}
	if f.Outcome == verdict.Pass {
		f.Detail = "another instance took over (" + c.Says(taken) + "), and its frozen owner went on: " + f.Detail
	}
	return one(f)
}

// takenOver is the attempt that was answered with the result while the owner stood still, or nil.
func takenOver(c rule.Case, h *history.History) *history.Attempt {
	paused, resumed := frozen(h)
	for _, a := range h.Attempts("takeover") {
		if c.Succeeded(a) && a.Began > paused && a.Ended < resumed {
			return a
		}
	}
	return nil
}

// frozen is when the owner stood still: until it was told to go on, since it may answer before it is seen to.
func frozen(h *history.History) (from, until int64) {
	for _, e := range h.Events {
		switch {
		case e.Fault == nil || !e.Fault.Landed:
		case e.Fault.Kind == history.FaultPause && from == 0:
			from = e.At
		case e.Fault.Kind == history.FaultResume && from > 0 && until == 0:
			until = cmp.Or(e.Fault.Given, e.At)
		}
	}
	return from, until
}

// notFrozen says what is missing of the proof that the owner was frozen in the middle of its work, and went on.
func notFrozen(h *history.History, owner *history.Attempt) (missing string) {
	if missing := rule.NotWhole(owner); missing != "" {
		return missing
	}
	from, until := frozen(h)
	held, _, ok := h.Held(owner.Intent)
	switch {
	case !ok:
		return "the target made no downstream call that could be held"
	case from == 0 || held > from:
		return "the owner was not frozen while its call was held"
	case until == 0:
		return "the owner was not seen to go on"
	case owner.Link.FirstByteAt > 0 && owner.Link.FirstByteAt < until:
		return "the owner had answered before it was frozen"
	case owner.Outcome == history.Lost && owner.Ended < until:
		return "the owner's client had left before it went on"
	}
	return ""
}
