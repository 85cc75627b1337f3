package race

import (
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	return []target.Scenario{
		{ID: "race/one-effect", Sentence: "Sends 2, 8 and 50 duplicates at once, and two for each of ten keys, then retries.",
			Needs: []catalogue.Need{catalogue.NeedKeyHeader}, Run: oneEffect, Late: late},
		{ID: "race/changed-payload", Sentence: "Sends two payloads under one key at once, then retries both.",
			Needs: []catalogue.Need{catalogue.NeedState, catalogue.NeedChange, catalogue.NeedKeyHeader}, Run: changedPayload, Late: lateRivals},
		{ID: "race/distinct-keys", Sentence: "Sends requests with keys of their own at once.",
			Needs: []catalogue.Need{catalogue.NeedState, catalogue.NeedKeyHeader}, Run: distinctKeys, Late: late},
		{ID: "race/replicas", Sentence: "Sends duplicates to all replicas at once, then retries at each.",
			Needs: []catalogue.Need{catalogue.NeedReplicas, catalogue.NeedKeyHeader}, Run: replicas, Late: late},
		{ID: "race/in-flight", Sentence: "Sends a duplicate while the first is held at the gate, and retries it afterwards.",
			Needs: []catalogue.Need{catalogue.NeedGate, catalogue.NeedKeyHeader}, Run: inFlight},
	}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"race/one-effect":            oneEffectRule,
		"race/answers":               answersRule,
		"race/changed-payload":       changedPayloadRule,
		"race/distinct-keys":         distinctKeysRule,
		"race/replicas":              replicasRule,
		"race/in-flight":             rule.Each(inFlightRule),
		"race/in-flight-then-replay": rule.Each(inFlightThenReplayRule),
		"race/retry-after":           rule.Each(retryAfterRule),
	}
}
