package crash

import (
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// killedIn judges a target that was killed while its call was held, if it was seen to stand in the phase. A history whose
// phase belongs to no requirement counts for that of its own scenario, where it speaks against the target.
func killedIn(c rule.Case, h *history.History, phase string) []rule.Finding {
	kill, missing := killOf(h)
	own := h.Scenario == c.Requirement.ID
	if missing != "" {
		if !own {
			return nil
		}
		return one(rule.Inconclusive(verdict.Environment, "%s", missing))
	}
	end := c.End(h, kill.Intent)
	if kill.Phase != phase {
		judgedElsewhere := kill.Phase == history.AfterClaim || kill.Phase == history.AfterEffect
		switch {
		case !own || judgedElsewhere:
			return one(rule.NotAssessed("%s", elsewhere(kill)))
		case end.Broken():
			return one(rule.Fail(verdict.Weak, "killed in phase %s: %s: %s", kill.Phase, end.How, end.Detail))
		case kill.Phase == history.PhaseUnknown || kill.Phase == "":
			return one(rule.Inconclusive(verdict.Environment, "where the target stood when it was killed could not be seen"))
		}
		return one(rule.NotAssessed("%s", elsewhere(kill)))
	}
	switch {
	case end.Broken():
		return one(rule.Fail(verdict.Strong, "%s: %s", end.How, end.Detail))
	case end.How == rule.Unread:
		return one(rule.Inconclusive(verdict.Environment, "%s", end.Detail))
	case end.Last == nil || !end.Last.Link.Reached || restart(h) == 0 || end.Last.Began < restart(h):
		return one(rule.Inconclusive(verdict.Environment, "%s", noRetry(h, end)))
	case end.How == rule.Done:
		return one(rule.Pass(verdict.Strong, "%s", end.Detail))
	}
	return one(rule.Pass(verdict.Strong, "stuck but safe: %s", end.Detail))
}

// elsewhere says why a kill shows nothing of the phase that was aimed at.
func elsewhere(kill *history.Fault) string {
	switch kill.Phase {
	case history.AfterEffect:
		return "at the hold the effect already existed: the target calls downstream after it made it"
	case history.AfterRecord:
		return "at the hold the operation was already recorded as done: the target calls downstream afterwards"
	case history.BeforeClaim:
		return "at the hold nothing was claimed yet"
	}
	return fmt.Sprintf("the target was killed in phase %q", kill.Phase)
}

// killOf finds the kill of a history, or says what is missing of the proof that it landed.
func killOf(h *history.History) (kill *history.Fault, missing string) {
	kills := h.Faults(history.FaultKill)
	switch {
	case len(kills) == 0:
		return nil, "the target was not killed: it made no call that could be held"
	case !kills[0].Landed:
		return nil, "the target was not seen to die"
	}
	return kills[0], ""
}

func one(f rule.Finding) []rule.Finding { return []rule.Finding{f} }
