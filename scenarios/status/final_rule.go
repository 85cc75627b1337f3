package status

import (
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func finalRule(c rule.Case, h *history.History) []rule.Finding {
	first, done := h.First("first"), reading(h, "done")
	if h.Trial == "refused" {
		return one(refusedReads(c, first, done).In("refused"))
	}
	if no := c.NoResult("the operation", first); no != nil {
		return []rule.Finding{no[0].In("succeeded"), no[0].In("reference")}
	}
	if f := unreadable(done); f != nil {
		return []rule.Finding{f.In("succeeded"), f.In("reference")}
	}
	if done.State != history.Succeeded {
		return []rule.Finding{rule.Fail(verdict.Strong, "answered %s, it reads %s", c.Says(first), says(done)).In("succeeded"),
			rule.NotAssessed("it does not read as succeeded").In("reference")}
	}
	return []rule.Finding{rule.Pass(verdict.Strong, "answered %s, it reads %s", c.Says(first), says(done)).In("succeeded"),
		refers(h, first, done).In("reference")}
}

// refusedReads judges the state of a refused operation. One that keeps no refusals does not know it any more.
func refusedReads(c rule.Case, first *history.Attempt, done *history.Status) rule.Finding {
	switch {
	case first == nil || first.Answer == nil:
		return rule.Inconclusive(verdict.Environment, "the refused sample got no answer")
	case first.Answer.Status < 400 || first.Answer.Status > 499:
		return rule.Inconclusive(verdict.Environment, "sample refused was answered %s, where a refusal is wanted", c.Says(first))
	}
	if f := unreadable(done); f != nil {
		return *f
	}
	switch {
	case done.State == history.Failed:
		return rule.Pass(verdict.Strong, "answered %s, it reads %s", c.Says(first), says(done))
	case done.State == history.Absent && c.Contract.Stored.ClientErrors != "yes":
		return rule.NotAssessed("answered %s, it is not known: the contract does not say that refusals are kept", c.Says(first))
	}
	return rule.Fail(verdict.Strong, "answered %s, it reads %s", c.Says(first), says(done))
}

// refers judges whether the status names what was made: by an id that a probe found, else by the answer's Location.
func refers(h *history.History, first *history.Attempt, done *history.Status) rule.Finding {
	var names []string
	for _, t := range rule.Tallies(h, first.Intent) {
		if t.Kind == history.Resource {
			names = append(names, t.IDs...)
		}
	}
	for _, l := range first.Answer.Header["Location"] {
		if name := l[strings.LastIndexByte(strings.TrimRight(l, "/"), '/')+1:]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return rule.NotAssessed("nothing is known of the result that the status could name: no probe gives ids")
	}
	for _, name := range names {
		if named(done.Answer, name) != "" {
			return rule.Pass(verdict.Strong, "it names its result, %s", name)
		}
	}
	return rule.Fail(verdict.Strong, "it does not name its result, %s", strings.Join(names, ", "))
}
