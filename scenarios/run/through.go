package run

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// weakened takes strength from the passes of histories whose attempts went through a proxy of somebody else's: what lay between
// the proof and the target was seen by nobody.
func weakened(hs []*history.History, findings []rule.Finding) []rule.Finding {
	through := ""
	for _, h := range hs {
		for _, a := range h.Attempts() {
			if a.Link.Through != "" {
				through = a.Link.Through
			}
		}
	}
	if through == "" {
		return findings
	}
	for i, f := range findings {
		if f.Outcome == verdict.Pass && f.Proof == verdict.Strong {
			findings[i].Proof = verdict.Weak
			findings[i].Detail += "; seen through " + through
		}
	}
	return findings
}
