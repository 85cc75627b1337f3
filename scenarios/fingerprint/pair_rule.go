package fingerprint

import (
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// isVolatile tells the rewrites of fingerprint/volatile from the others.
func isVolatile(r rewrite.Rewrite) bool {
	return r.Part == rewrite.Header && (strings.HasPrefix(r.ID, "volatile/") || r.ID == "auth/renewed")
}

// judge gives the finding on one history of a pair, the rewrite's id as its part.
func judge(c rule.Case, h *history.History) (rewrite.Rewrite, rule.Finding, bool) {
	if h.Rewrite == nil {
		return rewrite.Rewrite{}, rule.Finding{}, false
	}
	r, known := rewrite.Find(h.Rewrite.ID)
	if !known {
		return r, rule.Finding{}, false
	}
	f := outcome(c, h, r)
	if r.ClassUnder(c.Contract) == rewrite.SameByPractice && f.Outcome == verdict.Fail && !strings.HasPrefix(f.Detail, executed) {
		f.Level = verdict.Should // general practice, not a standard; executing it is wrong all the same
	}
	if r.ID == "key/quoted" {
		f.Level = verdict.Should // as in key/quoted-and-bare, which asks for the same
		if f.Outcome == verdict.Fail && strings.HasPrefix(f.Detail, executed) && !h.Rewrite.Guess {
			f.Detail += "; where that is meant, declare contract.key.encoding: opaque"
		}
	}
	return r, f.In(r.ID).At(h.ID), true
}

// executed begins the detail of a double execution.
const executed = "double execution"

func outcome(c rule.Case, h *history.History, r rewrite.Rewrite) rule.Finding {
	a, b := h.First("first"), h.First("rewritten")
	if why := c.Undecided(a); a != nil && why != "" {
		return rule.Inconclusive(verdict.Environment, "A, the request as it is, %s", why)
	}
	if !c.Succeeded(a) {
		return rule.NotAssessed("the target refuses A itself with %s: it proves nothing", c.Says(a))
	}
	class := r.ClassUnder(c.Contract)
	mayReplay, mayRefuse, mayExecute := class.Allowed()
	proof := rule.ProofOf(a, b)
	problem, unread := effects(h, a.Intent)
	says := c.Says(b)
	why := c.Undecided(b)
	switch {
	case why == "" || problem != "" && !mayExecute: // whatever it was answered
	case hungUp(b) && hungUp(h.First("control")) && c.Succeeded(h.First("again")):
		return rule.NotAssessed("vacuous: the target hangs up on B (%s) without an answer, under a key of its own too", r.Sentence)
	default:
		return rule.Inconclusive(verdict.Environment, "B (%s) %s", r.Sentence, why)
	}
	switch {
	case problem != "" && !mayExecute:
		return rule.Fail(proof, executed+": %s; B (%s) was answered %s: %s", place(h), r.Sentence, says, problem)
	case problem != "":
		return rule.Pass(proof, "%s: executed as an operation of its own", says)
	case unread != "":
		return rule.Inconclusive(verdict.Environment, "%s", unread)
	case c.Succeeded(b):
		return replayed(c, h, r, class, proof, mayReplay)
	case mayReplay && mayRefuse && mayExecute:
		return rule.Pass(proof, "refused with %s, as it may be: the contract does not say what this difference means", says)
	}
	if f, vacuous := needsControl(c, h, says); vacuous {
		return f
	}
	if again := h.First("again"); !mayRefuse && again != nil && c.Undecided(again) == "" && !c.Succeeded(again) {
		return rule.NotAssessed("the identical request is refused too, with %s: this target tells no repetition from another", c.Says(again))
	}
	if !mayRefuse {
		return rule.Fail(proof, "false refusal: %s; B (%s) was answered %s", place(h), r.Sentence, says)
	}
	return rule.Pass(proof, "refused with %s, and accepted under a key of its own", says)
}

// hungUp tells whether the target had the whole request and closed the connection instead of an answer.
func hungUp(a *history.Attempt) bool {
	return a != nil && a.Outcome == history.Lost && !a.TimedOut && a.Link.RequestWhole && a.Link.ResponseBytes == 0
}

// replayed judges a B that was answered with A's result.
func replayed(c rule.Case, h *history.History, r rewrite.Rewrite, class rewrite.Class, proof verdict.Proof, allowed bool) rule.Finding {
	compared := class == rewrite.Undeclared || r.Confirm || h.Rewrite.Guess
	switch {
	case allowed && class != rewrite.Undeclared:
		return rule.Pass(proof, "replayed")
	case compared:
		same, told := sameEffect(c, h)
		if !told {
			return rule.NotAssessed("B was answered with A's result; whether both mean the same cannot be told, since no answers under keys of their own could be compared")
		}
		if same {
			return rule.Pass(verdict.Weak, "replayed; under keys of their own A and B have equal results")
		}
		return rule.Fail(proof, "false replay: %s; B (%s) was answered with A's result, though under keys of their own their results differ", place(h), r.Sentence)
	}
	if f, vacuous := needsControl(c, h, "A's result"); vacuous {
		return f
	}
	return rule.Fail(proof, "false replay: %s; B (%s) was answered with A's result", place(h), r.Sentence)
}

// needsControl tells whether B under a key of its own did not get a result: then what it got under A's key says nothing about
// the key.
func needsControl(c rule.Case, h *history.History, says string) (rule.Finding, bool) {
	control := h.First("control")
	switch {
	case control == nil:
		return rule.Inconclusive(verdict.Harness, "B was answered %s, and was not sent under a key of its own", says), true
	case c.Undecided(control) != "":
		return rule.Inconclusive(verdict.Environment, "B under a key of its own %s", c.Undecided(control)), true
	case !c.Succeeded(control):
		return rule.NotAssessed("vacuous: under a key of its own B is answered %s too", c.Says(control)), true
	}
	return rule.Finding{}, false
}

// effects bounds what A's intent made. A value is left out where A was prepared: it moves by another amount than the sample's.
func effects(h *history.History, intent string) (problem, unread string) {
	kinds := []string{history.Resource, history.Ledger}
	if !h.Rewrite.Prepared {
		kinds = append(kinds, history.Value)
	}
	problem, unread = rule.AtMost(h, intent, 1, kinds...)
	if unread != "" && len(h.Observations(intent)) == 0 {
		return problem, "" // an operation without probes: answers are all there is
	}
	return problem, unread
}

// sameEffect compares the results of A and B under keys of their own; what differs between two runs of A does not count, nor
// what is declared to. Where two runs of A differ as a whole, as two texts do that are no JSON, nothing is left to compare.
func sameEffect(c rule.Case, h *history.History) (same, told bool) {
	first, plain, control := h.First("first"), h.First("plain"), h.First("control")
	for _, a := range []*history.Attempt{first, plain, control} {
		if a == nil || a.Answer == nil || a.Answer.Body.Truncated || a.Answer.Body.Text == "" {
			return false, false
		}
	}
	if plain.Answer.Status != first.Answer.Status {
		return false, false
	}
	if control.Answer.Status != first.Answer.Status {
		return false, true
	}
	if likeness, _ := rule.CompareBodies(first.Answer.Body, plain.Answer.Body, nil); likeness == rule.Alike {
		likeness, _ = rule.CompareBodies(first.Answer.Body, control.Answer.Body, c.Contract.Volatile)
		return likeness == rule.Alike, likeness != rule.Incomplete
	}
	volatile := rewrite.DiffPointers([]byte(first.Answer.Body.Text), []byte(plain.Answer.Body.Text))
	if slices.Contains(volatile, "") {
		return false, false
	}
	volatile = append(volatile, c.Contract.Volatile...)
	likeness, _ := rule.CompareBodies(first.Answer.Body, control.Answer.Body, volatile)
	return likeness == rule.Alike, likeness != rule.Incomplete
}

// place says where the pair differs.
func place(h *history.History) string {
	if h.Rewrite.At == "" {
		return h.Rewrite.ID
	}
	return h.Rewrite.ID + " at " + h.Rewrite.At
}
