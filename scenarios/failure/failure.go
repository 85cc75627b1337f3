package failure

import (
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	gate := []catalogue.Need{catalogue.NeedGate, catalogue.NeedKeyHeader}
	return []target.Scenario{
		{ID: "failure/transient", Sentence: "Lets the downstream call fail before anything is booked, then retries.", Needs: gate, Run: transient},
		{ID: "failure/stored", Sentence: "Provokes each failure that the configuration offers, and sends the same request again.",
			Needs: []catalogue.Need{catalogue.NeedKeyHeader}, Run: stored},
		{ID: "failure/validation", Sentence: "Sends an invalid payload, then the valid one under the same key.",
			Needs: []catalogue.Need{catalogue.NeedInvalid, catalogue.NeedKeyHeader}, Run: validation},
		{ID: "failure/handler-crash", Sentence: "Breaks the handler, then retries.",
			Needs: []catalogue.Need{catalogue.NeedCrash, catalogue.NeedKeyHeader}, Run: handlerCrash},
		{ID: "failure/unknown", Sentence: "Books the downstream call and loses its answer, retries, lets downstream answer again, and retries.", Needs: gate, Run: unknown},
		{ID: "failure/store-down", Sentence: "Sends a write while the target's database cannot be reached, then retries when it is back.",
			Needs: []catalogue.Need{catalogue.NeedStoreCut, catalogue.NeedState, catalogue.NeedKeyHeader}, Run: storeDown},
		{ID: "failure/business", Sentence: "Sends a payload that the business refuses for good, and sends it again.",
			Needs: []catalogue.Need{catalogue.NeedRefused, catalogue.NeedKeyHeader}, Run: business},
	}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"failure/transient":     rule.Each(transientRule),
		"failure/stored":        rule.Each(storedRule),
		"failure/validation":    rule.Each(validationRule),
		"failure/handler-crash": rule.Each(handlerCrashRule),
		"failure/unknown":       rule.Each(unknownRule),
		"failure/store-down":    rule.Each(storeDownRule),
		"failure/business":      rule.Each(businessRule),
	}
}
