package reports

import "github.com/oncespec/oncespec/scenarios/history"

// races are the detection powers of the rungs that were used, at one server and between replicas, each once, in the order of
// their use.
func races(hs []*history.History) (all []history.Power) {
	type way struct {
		rung     string
		replicas int
	}
	known := map[way]bool{}
	for _, h := range hs {
		if h.Power == nil || known[way{h.Power.Rung, h.Power.Replicas}] {
			continue
		}
		known[way{h.Power.Rung, h.Power.Replicas}] = true
		all = append(all, *h.Power)
	}
	return all
}
