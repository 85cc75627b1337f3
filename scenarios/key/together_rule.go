package key

import (
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// principalsTogether judges the trials in which two principals used one key at a time: neither receives the other's result, and
// where keys are an account's own, each has its effect. They speak against the target or not at all; what they add to a
// verdict that stands without them is said in words.
func principalsTogether(c rule.Case) (against []rule.Finding, says string) {
	met, trials := 0, 0
	for _, h := range c.Histories {
		if !strings.HasPrefix(h.Trial, "principals-") {
			continue
		}
		trials++
		proof := overlapped(h, h.First("first"), h.First("other-principal"))
		if proof == verdict.None {
			continue
		}
		met++
		if problem := mixedUp(c, h); problem != "" {
			against = append(against, rule.Fail(proof, "%s", problem).At(h.ID))
		}
	}
	switch {
	case trials == 0:
		return nil, ""
	case met == 0:
		return nil, "; whether it is while the first one is at work is open: the two requests never overlapped"
	}
	return against, "; neither got the other's result while the two overlapped, in " + rule.Plural(met, "trial")
}

// overlapped tells how well it is shown that the target had both requests at a time: strong where it had the other's whole
// while the first one's work was held, weak where they were in flight together.
func overlapped(h *history.History, first, other *history.Attempt) verdict.Proof {
	if first == nil || other == nil || !first.Link.RequestWhole || !other.Link.RequestWhole {
		return verdict.None
	}
	from, until, held := h.Held(first.Intent)
	if sent := other.Link.LastRequestAt; held && first.Ended > until && sent >= from && sent < until {
		return verdict.Strong
	}
	for _, b := range h.Bursts("") {
		if b.Overlapped > 1 && slices.Contains(b.Attempts, first.ID) && slices.Contains(b.Attempts, other.ID) {
			return verdict.Weak
		}
	}
	return verdict.None
}

// mixedUp says how one of two principals was taken for the other; empty: they were not.
func mixedUp(c rule.Case, h *history.History) string {
	first, other, control := h.First("first"), h.First("other-principal"), h.First("control")
	fresh := h.First("fresh")
	if fresh != nil {
		control = fresh
	}
	ends := []end{{whose: "another principal", intent: other.Intent}, {whose: "the first principal", intent: first.Intent}}
	count(c, h, &ends[0], &ends[1])
	for i, e := range ends {
		if e.own {
			continue // an answer of its own may look like the other's
		}
		for _, a := range h.AttemptsOf(e.intent) {
			if a.Label == "retry" && !e.readable {
				continue // it may be a replay of its own result
			}
			for _, given := range h.AttemptsOf(ends[1-i].intent) {
				if how := c.GivesAway(h, given, control, a); how != "" {
					return e.whose + " used the key while " + ends[1-i].whose + "'s request ran, and was answered " + c.Says(a) + ": " + how
				}
			}
		}
	}
	if c.NoResult("the control", control) != nil || effects(h, control.Intent)+ofTheControl(h, other.Intent) == 0 {
		return "" // what the other principal writes is refused or not seen
	}
	for _, e := range ends {
		attempts := h.AttemptsOf(e.intent)
		last := attempts[len(attempts)-1]
		switch {
		case e.own || !e.readable || c.Undecided(last) != "":
		case c.Succeeded(last):
			return e.whose + " used the key while the other's request ran, and was answered " + c.Says(last) + ", but nothing was executed for it"
		case slices.Contains(c.Contract.Scope, contract.Account):
			return "keys are declared to be an account's own; " + e.whose + " used one while the other's request ran, and was refused in the end with " + c.Says(last)
		}
	}
	return ""
}

// end is what came of one principal's write.
type end struct {
	whose, intent string
	own, readable bool // an effect of its own is seen
}

// count looks for each one's effect. What the other principal's control made of the same payload is counted as well once it was
// sent. The first one makes one effect at most: where it sees more of one payload, its list shows everybody's; then there are as
// many as successes, or whose is missing cannot be told.
func count(c rule.Case, h *history.History, other, first *end) {
	_, other.readable = rule.Growth(h, other.intent, "idle", "after")
	_, first.readable = rule.Growth(h, first.intent, "idle", "after")
	control := ofTheControl(h, other.intent)
	all := max(gained(h, first.intent, "after"), gained(h, first.intent, "final"))
	if h.First("fresh") == nil || all < 2 {
		other.own = gained(h, other.intent, "after") > 0 || gained(h, other.intent, "final") > control
		first.own = all > 0
		return
	}
	won := slices.DeleteFunc([]*end{other, first}, func(e *end) bool { return !slices.ContainsFunc(h.AttemptsOf(e.intent), c.Succeeded) })
	for _, e := range []*end{other, first} {
		e.own = slices.Contains(won, e) && all-control >= len(won) || all-control > len(won)
	}
}

// ofTheControl is what the same payload under a fresh key made, as far as the other principal sees it.
func ofTheControl(h *history.History, other string) int {
	return max(0, min(1, gained(h, other, "later")-gained(h, other, "after")))
}

func gained(h *history.History, intent, moment string) int {
	by, _ := rule.Growth(h, intent, "idle", moment)
	return by
}
