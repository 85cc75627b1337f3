package fingerprint

import (
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	return []target.Scenario{
		{ID: "fingerprint/rewrites", Sentence: "Sends every applicable rewrite of a request under the key of the original.", Needs: []catalogue.Need{catalogue.NeedState}, Run: rewrites},
		{ID: "fingerprint/volatile", Sentence: "Repeats a request with other trace, date and agent headers, and with renewed credentials.", Run: volatile},
		{ID: "fingerprint/property", Sentence: "Searches random bodies and rewrites for a pair that the target confuses.", Needs: []catalogue.Need{catalogue.NeedState, catalogue.NeedJSON}, Run: property},
	}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"fingerprint/same-meaning":  sameMeaning,
		"fingerprint/other-meaning": otherMeaning,
		"fingerprint/volatile":      volatileRule,
		"fingerprint/declared":      declared,
		"fingerprint/property":      propertyRule,
	}
}
