package crash

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// notStuckRule judges what crash/after-claim and crash/after-effect left, whatever phase the kill hit.
func notStuckRule(c rule.Case, h *history.History) []rule.Finding {
	kill, missing := killOf(h)
	if missing != "" {
		return one(rule.Inconclusive(verdict.Environment, "%s", missing))
	}
	end, restarted := c.End(h, kill.Intent), restart(h)
	switch {
	case restarted == 0 || end.Last == nil || end.Last.Began < restarted || !end.Last.Link.Reached:
		return one(rule.Inconclusive(verdict.Environment, "%s", noRetry(h, end)))
	case unresolved(c, end.Last):
		state := stateAfter(h, kill.Intent)
		return one(leftOpen(c, end, state))
	}
	if late := lateAnswer(c, h, kill.Intent, restarted); late != nil {
		return one(rule.Fail(verdict.Strong, "it was still %s %d ms after the restart; %s is declared", c.Says(late), (late.Began-restarted)/1000, c.Contract.Recovery.Within))
	}
	return one(rule.Pass(verdict.Strong, "resolved after the restart: the last attempt was answered %s", c.Says(end.Last)))
}

// leftOpen judges an operation that has no result when the harness stops retrying.
func leftOpen(c rule.Case, end rule.End, state string) rule.Finding {
	switch {
	case state == history.UnknownDone:
		return rule.Pass(verdict.Strong, "not resolved, but its state reads unknown")
	case state == history.Failed && c.Class(end.Last) == contract.Failed:
		return rule.Pass(verdict.Strong, "resolved as failed: its state says so, and retries are answered %s", c.Says(end.Last))
	case c.Contract.Recovery.StuckAllowed:
		return rule.Pass(verdict.Strong, "stuck but safe, as declared: %s", end.Detail)
	}
	how := "stuck but safe"
	if end.Broken() {
		how = string(end.How) + ", and stuck"
	}
	return rule.Fail(verdict.Strong, "%s: %s", how, end.Detail)
}

// unresolved tells whether an answer leaves the caller without a known outcome: a 5xx does, unless the contract stores
// failures.
func unresolved(c rule.Case, a *history.Attempt) bool {
	switch c.Class(a) {
	case contract.Unknown, contract.InFlightAnswer:
		return true
	case contract.Failed:
		return c.Contract.Stored.ServerErrors != "yes"
	}
	return false
}

// lateAnswer is an attempt that was sent after the declared time and still found the operation open.
func lateAnswer(c rule.Case, h *history.History, intent string, restarted int64) *history.Attempt {
	within := c.Contract.Recovery.Within.Microseconds()
	for _, a := range rule.Own(h, intent) {
		if within > 0 && a.Answer != nil && a.Outcome == history.Answered && a.Began > restarted+within && unresolved(c, a) {
			return a
		}
	}
	return nil
}

// restart is when the target was ready again, in microseconds since the run began; 0: never.
func restart(h *history.History) int64 {
	for _, e := range h.Events {
		if e.Fault != nil && e.Fault.Kind == history.FaultRestart && e.Fault.Landed {
			return e.At
		}
	}
	return 0
}

func stateAfter(h *history.History, intent string) (state string) {
	for _, s := range h.Statuses("after") {
		if s.Intent == intent {
			state = s.State
		}
	}
	return state
}

// noRetry says why nothing is known of what the target makes of a retry after the restart.
func noRetry(h *history.History, end rule.End) string {
	switch {
	case restart(h) == 0:
		return "the target was not seen to come up again"
	case end.Last == nil || end.Last.Began < restart(h):
		return "no retry was sent after the restart: the trial ended before" // a read that was not answered ends it
	}
	return "no retry reached the target after the restart"
}
