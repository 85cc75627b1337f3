package crash

import (
	"cmp"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// storeLinkRule judges all cuts of an operation. One that came too late is no test, where others came in time. Nothing is surely
// proven where none came between an effect and the answer of the database that tells the target of it.
func storeLinkRule(c rule.Case) (all []rule.Finding) {
	var landed, ids []string
	var late []rule.Finding
	doubts := 0
	for _, h := range c.Histories {
		first := h.First("first")
		if first == nil {
			continue // the calibration
		}
		missing := notCutAtWork(h, first)
		f := c.Once(h, first, missing, verdict.Strong).At(h.ID)
		inDoubt := missing == "" && effectWhileHeld(h, first.Intent)
		switch {
		case f.Outcome == verdict.Pass:
			if ids = append(ids, h.ID); inDoubt {
				doubts++
			}
			if !strings.HasPrefix(h.Trial, doubtful) {
				landed = append(landed, h.Trial)
			}
		case missing == "" || f.Outcome == verdict.Fail:
			where := "at " + h.Trial + " of the database"
			if inDoubt {
				where = "when the database had made the effect and the target had not been told"
			}
			f.Detail = "cut " + where + ": " + f.Detail
			all = append(all, f)
		default:
			late = append(late, f)
		}
	}
	switch {
	case len(ids) > 0:
		all = append(all, cutWell(c, landed, doubts).At(ids...))
	case len(late) > 0:
		all = append(all, late...)
	case len(all) == 0:
		all = append(all, rule.Inconclusive(verdict.Environment, "no unfaulted attempt reached the database").At(c.IDs()...))
	}
	return all
}

// cutWell says where cuts came that did no harm.
func cutWell(c rule.Case, landed []string, doubts int) rule.Finding {
	var where []string
	proof := verdict.Strong
	slices.SortFunc(landed, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	if doubts > 0 {
		where = append(where, rule.Plural(doubts, "time")+" when the database had made the effect and the target had not been told")
	}
	if len(landed) > 0 {
		where = append(where, "at these pieces on the way to and from the database: "+strings.Join(landed, ", "))
	}
	if len(where) == 0 {
		where = append(where, "while it was at work")
	}
	text := "one effect each, cut " + strings.Join(where, "; ")
	if doubts == 0 {
		proof = verdict.Weak
		text += " (none is known to have come between the effect and the database's word of it: " + unseenWhileHeld(c) + ")"
	}
	return rule.Pass(proof, "%s", text)
}

// effectWhileHeld tells whether the effect was seen while an answer of the database was held that was never delivered.
func effectWhileHeld(h *history.History, intent string) bool {
	seen, held := false, false
	for _, e := range h.Events {
		switch o, f := e.Observation, e.Fault; {
		case o != nil && o.Intent == intent && o.Moment == history.WhileHeld && o.Kind != history.Ledger:
			seen = o.Error == "" && o.Count > 0
		case f == nil:
		case f.Kind == history.FaultStoreHold:
			held = f.Landed
		case f.Kind == history.FaultStoreRelease:
			held = false
		case f.Kind == history.FaultStoreCut && f.Landed:
			return seen && held
		}
	}
	return false
}

// unseenWhileHeld says why no effect was seen in time.
func unseenWhileHeld(c rule.Case) string {
	for _, h := range c.Histories {
		for _, o := range h.Observations("", history.WhileHeld) {
			if o.Error != "" {
				return "while an answer was held, " + o.Probe + " could not be read: " + o.Error
			}
		}
	}
	return "it was not seen while an answer was held"
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
