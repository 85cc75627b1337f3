package fingerprint

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// judgeAll gives the findings on the histories of pairs and of screenings, by rewrite. A rewrite that was also tried by itself
// is judged by that. An execution that a screening shows, and none of its rewrites shows alone, is held against all that may
// have caused it.
func judgeAll(c rule.Case, mine func(rewrite.Rewrite) bool) (all []rule.Finding) {
	alone := map[string]bool{}   // rewrites that were tried by themselves
	doubled := map[string]bool{} // and executed
	for _, h := range c.Histories {
		if r, f, ok := judge(c, h); ok && mine(r) {
			all = append(all, f)
			alone[r.ID] = true
			doubled[r.ID] = doubled[r.ID] || f.Outcome == verdict.Fail && KindOf(c.Contract, h) == DoubleExecution
		}
	}
	for _, h := range c.Histories {
		if len(h.Screen) > 0 {
			all = append(all, screenedRows(c, h, mine, alone, doubled)...)
		}
	}
	return all
}

func screenedRows(c rule.Case, h *history.History, mine func(rewrite.Rewrite) bool, alone, doubled map[string]bool) (all []rule.Finding) {
	seen := screened(c, h)
	explained := seen.Executed == ""
	for _, about := range h.Screen {
		explained = explained || doubled[about.ID]
	}
	for i, about := range h.Screen {
		r, known := rewrite.Find(about.ID)
		b := h.First(label(i))
		if !known || !mine(r) || b == nil {
			continue
		}
		f := rule.Pass(rule.ProofOf(h.First("first"), b), "replayed")
		switch {
		case !explained && c.Succeeded(b):
			f = rule.Fail(f.Proof, executed+": %s; of the %d requests that were sent under A's key, one was executed, and B (%s) was among those that got a result", seen.Executed, len(h.Screen), r.Sentence)
		case alone[about.ID]:
			continue
		case !explained:
			f = rule.Inconclusive(verdict.Target, "refused, and %s", seen.Executed)
		case seen.Unclear != "":
			f = rule.Inconclusive(verdict.Environment, "%s", seen.Unclear)
		case seen.Pairs[i] == Refuses:
			f = refusedRow(c, h, i)
		case seen.Pairs[i] != Replayed:
			f = rule.Inconclusive(verdict.Harness, "B was answered %s, and was not sent by itself", c.Says(b))
		}
		all = append(all, f.In(r.ID).At(h.ID))
	}
	return all
}

// refusedRow judges a B that was refused, as it should be: by the answer that it got under a key of its own.
func refusedRow(c rule.Case, h *history.History, i int) rule.Finding {
	a, b, control := h.First("first"), h.First(label(i)), h.First(own(i))
	switch {
	case control == nil:
		return rule.Inconclusive(verdict.Harness, "B was answered %s, and was not sent under a key of its own", c.Says(b))
	case c.Undecided(control) != "":
		return rule.Inconclusive(verdict.Environment, "B under a key of its own %s", c.Undecided(control))
	case !c.Succeeded(control):
		return rule.NotAssessed("vacuous: under a key of its own B is answered %s too", c.Says(control))
	}
	return rule.Pass(rule.ProofOf(a, b), "refused with %s, and accepted under a key of its own", c.Says(b))
}
