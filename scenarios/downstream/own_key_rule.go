package downstream

import (
	"slices"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// ownKeyRule counts the downstream keys of operations that were all answered with a success. Twins cannot be told apart by
// their markers, so the calls of a history are taken together.
func ownKeyRule(c rule.Case, h *history.History) []rule.Finding {
	operations := 0
	var made []history.Call
	for _, in := range h.Intents {
		if slices.ContainsFunc(h.AttemptsOf(in.ID), c.Succeeded) {
			operations++
		}
		for _, call := range rule.Calls(h, in.ID) {
			if !call.Lookup && !slices.ContainsFunc(made, func(m history.Call) bool { return m.Seq == call.Seq }) {
				made = append(made, call)
			}
		}
	}
	compared := 0
	for _, p := range byPlace(made) {
		wanted := min(operations, p.times)
		switch {
		case wanted < 2:
		case len(p.keys) == 1 && p.keys[0] == none:
			return []rule.Finding{rule.NotAssessed("the calls of %s carry no key, unless it is somewhere else than target.downstream.key says", p.place)}
		case len(p.keys) < wanted:
			return []rule.Finding{rule.Fail(verdict.Strong, "%d operations called %s %d times under %d keys", operations, p.place, p.times, len(p.keys))}
		default:
			compared = max(compared, wanted)
		}
	}
	if compared == 0 {
		return []rule.Finding{rule.NotAssessed("%d operations made %d downstream calls, no two of them to one place", operations, len(made))}
	}
	return []rule.Finding{rule.Pass(verdict.Strong, "%d operations called downstream under keys of their own", compared)}
}
