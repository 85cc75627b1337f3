package run

import (
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// weakened takes strength from the passes of histories whose attempts went through a proxy of somebody else's: what lay between
// the proof and the target was seen by nobody.
func weakened(hs []*history.History, findings []rule.Finding) []rule.Finding {
	through := throughOf(hs)
	if len(through) == 0 {
		return findings
	}
	for i, f := range findings {
		if f.Outcome == verdict.Pass && f.Proof == verdict.Strong {
			findings[i].Proof = verdict.Weak
			findings[i].Detail += "; seen through " + strings.Join(through, "; ")
		}
	}
	return findings
}

// throughOf lists what the attempts went through, the plain name only where nothing more is said of it.
func throughOf(hs []*history.History) (all []string) {
	for _, h := range hs {
		for _, a := range h.Attempts() {
			if a.Link.Through != "" {
				all = append(all, a.Link.Through)
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	plain := slices.Clone(all)
	return slices.DeleteFunc(all, func(name string) bool {
		return slices.ContainsFunc(plain, func(more string) bool { return more != name && strings.HasPrefix(more, name) })
	})
}
