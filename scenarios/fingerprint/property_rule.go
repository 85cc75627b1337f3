package fingerprint

import (
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// propertyRule judges all cases of the search together: one counterexample fails it, the smallest history first.
func propertyRule(c rule.Case) []rule.Finding {
	tried, vacuous := 0, 0
	var found []rule.Finding
	for _, f := range judgeAll(c, func(rewrite.Rewrite) bool { return true }) {
		f.Part = ""
		if f.Level == verdict.Should { // general practice does not count here
			f.Outcome, f.Level = verdict.Pass, ""
		}
		switch f.Outcome {
		case verdict.Fail:
			found = append(found, f)
		case verdict.Inconclusive:
			return []rule.Finding{f}
		case verdict.NotAssessed:
			vacuous++
		default:
			tried++
		}
	}
	switch {
	case len(found) > 0:
		return found
	case tried == 0:
		return []rule.Finding{rule.NotAssessed("no random pair could be tried (%d were refused even under keys of their own)", vacuous)}
	}
	return []rule.Finding{rule.Pass(verdict.Strong, "%d random pairs, no counterexample (%d more were refused even under keys of their own)%s", tried, vacuous, notVaried(c)).At(c.IDs()...)}
}

// notVaried says which places nothing was tried at, as the procedure noted it.
func notVaried(c rule.Case) string {
	for _, h := range c.Histories {
		for _, e := range h.Events {
			if strings.HasPrefix(e.Note, catalogue.NotVaried) {
				return "; " + e.Note
			}
		}
	}
	return ""
}
