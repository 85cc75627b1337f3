package replay

import (
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	return []target.Scenario{
		{
			ID:       "replay/again",
			Sentence: "Sends a write, then the same request ten times more, and once more when all but the kills is done.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader},
			Run:      again,
			Late:     late,
		},
		{
			ID:       "replay/after-change",
			Sentence: "Sends a write, changes the resource that it made, then sends the write again.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedAlter},
			Run:      afterChange,
		},
		{
			ID:       "replay/authorised",
			Sentence: "Sends a write, then the same request as another principal and without credentials.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedTenants},
			Run:      authorised,
		},
	}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"replay/one-effect":    rule.Each(oneEffect),
		"replay/answered":      rule.Each(answered),
		"replay/same-status":   rule.Each(sameStatus),
		"replay/same-body":     rule.Each(sameBody),
		"replay/same-headers":  rule.Each(sameHeaders),
		"replay/marker":        rule.Each(marker),
		"replay/many-times":    rule.Each(manyTimes),
		"replay/no-body":       rule.Each(noBody),
		"replay/large-body":    rule.Each(largeBody),
		"replay/no-downstream": rule.Each(noDownstream),
		"replay/after-change":  rule.Each(afterChangeRule),
		"replay/authorised":    rule.Each(authorisedRule),
	}
}
