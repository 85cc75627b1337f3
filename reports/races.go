package reports

import "github.com/oncespec/oncespec/scenarios/history"

// races are the detection powers of the rungs that were used, each once, in the order of their use.
func races(hs []*history.History) (all []history.Power) {
	known := map[string]bool{}
	for _, h := range hs {
		if h.Power != nil && !known[h.Power.Rung] {
			known[h.Power.Rung] = true
			all = append(all, *h.Power)
		}
	}
	return all
}
