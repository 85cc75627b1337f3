package fingerprint

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
)

// Sighting is what a screening shows of one of its pairs.
type Sighting string

// The sightings.
const (
	NotSent   Sighting = "not sent"
	Unclear   Sighting = "unclear"    // nobody knows what became of it
	Replayed  Sighting = "replayed"   // as its class allows, as far as answers tell
	Refuses   Sighting = "refused"    // as its class allows, unless it is refused under a key of its own too
	Suspected Sighting = "suspicious" // its class does not allow what was seen
)

// Screened is what a screening shows.
type Screened struct {
	Pairs []Sighting
	// Refused says how A itself was refused: then nothing is shown.
	Refused string
	// Overwritten: A, which got a result before, is refused after all the others.
	Overwritten string
	// Executed says what shows that something was executed beside A; it may have been any of the pairs.
	Executed string
	// Unclear says why the screening tells nothing: the environment's doing.
	Unclear string
}

func screened(c rule.Case, h *history.History) Screened {
	out := Screened{Pairs: make([]Sighting, len(h.Screen))}
	for i := range out.Pairs {
		out.Pairs[i] = NotSent
	}
	a, again := h.First("first"), h.First("again")
	switch {
	case a == nil:
		out.Unclear = "A was not sent"
		return out
	case c.Undecided(a) != "":
		out.Unclear = "A " + c.Undecided(a)
		return out
	case !c.Succeeded(a):
		out.Refused = c.Says(a)
		return out
	}
	kinds := []string{history.Resource, history.Ledger}
	if len(h.Screen) > 0 && !h.Screen[0].Prepared {
		kinds = append(kinds, history.Value)
	}
	if out.Executed, out.Unclear = rule.AtMost(h, a.Intent, 1, kinds...); len(h.Observations(a.Intent)) == 0 {
		out.Unclear = ""
	}
	for i, about := range h.Screen {
		out.Pairs[i] = sighting(c, h, i, about)
	}
	if again != nil && c.Undecided(again) == "" && !c.Succeeded(again) {
		out.Overwritten = c.Says(again)
	}
	return out
}

func sighting(c rule.Case, h *history.History, i int, about history.Rewrite) Sighting {
	b := h.First(label(i))
	r, known := rewrite.Find(about.ID)
	if b == nil || !known {
		return NotSent
	}
	if c.Undecided(b) != "" {
		return Unclear
	}
	class := r.ClassUnder(c.Contract)
	mayReplay, mayRefuse, mayExecute := class.Allowed()
	switch success := c.Succeeded(b); {
	case success && (mayExecute || mayReplay && class != rewrite.Undeclared):
		return Replayed
	case success, !mayRefuse:
		return Suspected
	}
	return Refuses
}
