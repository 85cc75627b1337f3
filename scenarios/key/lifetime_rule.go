package key

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// retainedRule: a completed operation replays until just before its declared lifetime ends.
func retainedRule(c rule.Case, h *history.History) []rule.Finding {
	first, last := h.First("first"), h.First("before-end")
	if f := untimely(c, h, first, last); f != nil {
		return f
	}
	// An upper bound of the age: counted from when the write was sent to when the retry was answered.
	age := aged(h, first.Began, last.Ended)
	if age > c.Contract.Lifetime-tolerance(c.Contract) {
		return single(rule.Inconclusive(verdict.Environment, "the retry came %v after the first attempt, too late to tell whether a lifetime of %v was kept", age, c.Contract.Lifetime))
	}
	if why := c.Undecided(last); why != "" {
		return single(rule.Inconclusive(verdict.Environment, "the retry %s", why))
	}
	when := fmt.Sprintf("%v into a lifetime of %v", age, c.Contract.Lifetime)
	proof, says := rule.ProofOf(first, last), c.Says(last)
	made, readable := most(h, last.Intent)
	likeness, where := rule.CompareBodies(first.Answer.Body, last.Answer.Body, c.Contract.Volatile)
	switch {
	case made > 1:
		return single(rule.Fail(proof, "%s the request was executed again: %s", when, rule.Plural(made, "effect")))
	case !readable && !rule.Unseen(h, last.Intent):
		return single(rule.Inconclusive(verdict.Environment, "the effects could not be read"))
	case readable && made == 0:
		return single(rule.Fail(proof, "%s the effect of the first attempt is gone", when))
	case !c.Succeeded(last) && c.Contract.Fidelity.OnlyEffect():
		return single(rule.Pass(proof, "%s there is one effect; the contract promises no more", when))
	case !c.Succeeded(last):
		return single(rule.Fail(proof, "%s a retry was answered %s", when, says))
	case c.Contract.Fidelity.CoversBody() && likeness == rule.Unlike:
		return single(rule.Fail(proof, "%s a retry was answered %s, but %s", when, says, where))
	}
	return single(rule.Pass(proof, "%s a retry was answered %s", when, says))
}

// expiredRule: after the lifetime the answer is as declared.
func expiredRule(c rule.Case, h *history.History) []rule.Finding {
	first, again := h.First("first"), h.First("after-end")
	if f := untimely(c, h, first, again); f != nil {
		return f
	}
	// A lower bound of the age: counted from when the write was answered to when the key was sent again.
	age := aged(h, first.Ended, again.Began)
	if age < c.Contract.Lifetime+tolerance(c.Contract) {
		return single(rule.Inconclusive(verdict.Environment, "the key was used again %v after the first answer, too early to tell whether its lifetime of %v had ended", age, c.Contract.Lifetime))
	}
	if why := c.Undecided(again); why != "" {
		return single(rule.Inconclusive(verdict.Environment, "the request after the end %s", why))
	}
	when := fmt.Sprintf("%v after the first answer, with a lifetime of %v,", age, c.Contract.Lifetime)
	proof, says := rule.ProofOf(first, again), c.Says(again)
	made, readable := most(h, again.Intent)
	switch action := c.Contract.Expired.Action; {
	case action == "":
		return single(rule.NotAssessed("the contract does not say what a key means after its lifetime; it was answered %s", says))
	case action == contract.ActionExecute && c.Class(again) == contract.Replay:
		return single(rule.Fail(proof, "%s the key was answered %s: it is remembered still", when, says))
	case action == contract.ActionExecute && !c.Succeeded(again):
		return single(rule.Fail(proof, "%s the key was answered %s, where the contract executes it anew", when, says))
	case action == contract.ActionRefuse && !c.Contract.Refuses(contract.OnExpired, again.Exchange()):
		return single(rule.Fail(proof, "%s the key was answered %s, where the contract refuses it with %s", when, says, c.Contract.Expired.Refusals()))
	case !readable:
		return single(rule.Inconclusive(verdict.Environment, "the effects could not be read"))
	case action == contract.ActionExecute && made < 2:
		return single(rule.Fail(proof, "%s the key was answered %s, and nothing was executed", when, says))
	case action == contract.ActionRefuse && made > 1:
		return single(rule.Fail(proof, "%s the key was answered %s, and yet the write was executed again", when, says))
	}
	return single(rule.Pass(proof, "%s the key was answered %s, with %s in all", when, says, rule.Plural(made, "effect")))
}

// unresolvedKeptRule: the lifetime never drops an operation whose outcome is unresolved.
func unresolvedKeptRule(c rule.Case, h *history.History) []rule.Finding {
	first, doubt, again := h.First("first"), h.First("in-doubt"), h.First("after-end")
	before, after := state(h, "in-doubt"), state(h, "after-end")
	switch {
	case first == nil || !rule.AnswerLost(h, first.Intent):
		return single(rule.Inconclusive(verdict.Environment, "the fault did not land: no booked downstream call of the operation lost its answer"))
	case c.Succeeded(first) || c.Succeeded(doubt):
		return single(rule.NotAssessed("answered %s and %s although the answer from downstream was lost: its outcome is not in doubt", c.Says(first), c.Says(doubt)))
	case before == history.Succeeded || before == history.Failed:
		return single(rule.NotAssessed("it reads as %s although the answer from downstream was lost: its outcome is not in doubt", before))
	case unmoved(h) != "":
		return single(rule.Inconclusive(verdict.Environment, "the target's time did not pass: %s", unmoved(h)))
	case again == nil || !again.Link.Reached:
		return single(rule.Inconclusive(verdict.Environment, "no retry reached the target after the end of the lifetime"))
	}
	age := aged(h, doubt.Ended, again.Began)
	if age < c.Contract.Lifetime+tolerance(c.Contract) {
		return single(rule.Inconclusive(verdict.Environment, "the request was sent again after %v, too early: the lifetime is %v", age, c.Contract.Lifetime))
	}
	end, proof := c.End(h, first.Intent), rule.ProofOf(again)
	switch {
	case end.Broken():
		return single(rule.Fail(verdict.Strong, "in doubt for %v, with a lifetime of %v: %s: %s", age, c.Contract.Lifetime, end.How, end.Detail))
	case (before == history.UnknownDone || before == history.InProgress) && after == history.Absent:
		return single(rule.Fail(verdict.Strong, "an operation in doubt read as %s, and after its lifetime of %v as absent: it was dropped", before, c.Contract.Lifetime))
	case end.How == rule.Unread:
		return single(rule.Inconclusive(verdict.Environment, "%s", end.Detail))
	case proof == verdict.None:
		proof = verdict.Weak // it reached the target, which kept it waiting
	}
	return single(rule.Pass(proof, "in doubt for %v, with a lifetime of %v: %s", age, c.Contract.Lifetime, end.Detail))
}

// untimely is what to report where the first write, the time or the last request are missing.
func untimely(c rule.Case, h *history.History, first, last *history.Attempt) []rule.Finding {
	if broken := c.NoResult("the first attempt", first); broken != nil {
		return broken
	}
	if why := unmoved(h); why != "" {
		return single(rule.Inconclusive(verdict.Environment, "the target's time did not pass: %s", why))
	}
	if last == nil {
		return single(rule.Inconclusive(verdict.Harness, "the key was not used again"))
	}
	return nil
}

// unmoved says why the target's clock was not moved, where it should have been.
func unmoved(h *history.History) string {
	for _, e := range h.Events {
		if e.Fault != nil && e.Fault.Kind == history.FaultClock && !e.Fault.Landed {
			return e.Fault.Detail
		}
	}
	return ""
}

// most is how many effects the probes show for an intent and its twin. Resources take precedence: a downstream system may take
// equal calls for one.
func most(h *history.History, intent string) (made int, readable bool) {
	for _, kind := range []string{history.Resource, history.Value, history.Ledger} {
		for _, o := range h.Observations(intent, "after", "final") {
			if o.Kind == kind && o.Error == "" {
				made, readable = max(made, o.Count), true
			}
		}
		if readable {
			return made, true
		}
	}
	return 0, false
}

// state is what the status resource said at a moment; empty where it was not read or said nothing that is known.
func state(h *history.History, moment string) string {
	for _, e := range h.Events {
		if e.Status != nil && e.Status.Moment == moment && e.Status.Error == "" {
			return e.Status.State
		}
	}
	return ""
}

func single(f rule.Finding) []rule.Finding { return []rule.Finding{f} }
