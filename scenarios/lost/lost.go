package lost

import (
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	needs := []catalogue.Need{catalogue.NeedState, catalogue.NeedKeyHeader}
	return []target.Scenario{
		{ID: "lost/response", Sentence: "Drops the response when it begins, then retries.", Needs: needs, Run: response},
		{ID: "lost/partial-response", Sentence: "Cuts the response in the middle of its body, then retries.", Needs: needs, Run: partialResponse},
		{ID: "lost/reset", Sentence: "Resets the connection instead of a response, then retries.", Needs: needs, Run: reset},
		{ID: "lost/slow-response", Sentence: "Gives up while the work runs, retries during it and after it.", Needs: needs, Run: slowResponse},
		{ID: "lost/partial-request", Sentence: "Cuts the request before it is whole, then retries one and leaves others alone.", Needs: needs, Run: partialRequest},
		{ID: "lost/gateway-error", Sentence: "Answers 502, then 504, in place of the target's response, then retries.", Needs: needs, Run: gatewayError},
		{ID: "lost/client-gone", Sentence: "Hangs up right after sending, some times, and while the work runs, then retries.", Needs: needs, Run: clientGone},
		{ID: "lost/slow-request", Sentence: "Lets the request dribble in, then retries.", Needs: needs, Run: slowRequest},
	}
}

// Storm stands apart: it comes last of all scenarios, since it builds on what they find.
func Storm() target.Scenario {
	return target.Scenario{ID: "lost/storm", Sentence: "Lets retrying clients loose on the target under random faults, kills and pauses, then counts and asks the reference.",
		Needs: []catalogue.Need{catalogue.NeedState, catalogue.NeedKeyHeader}, Run: lostStorm, Kills: true}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"lost/response":         rule.Each(responseRule),
		"lost/partial-response": rule.Each(partialResponseRule),
		"lost/reset":            rule.Each(resetRule),
		"lost/slow-response":    rule.Each(slowResponseRule),
		"lost/partial-request":  rule.Each(partialRequestRule),
		"lost/gateway-error":    rule.Each(gatewayErrorRule),
		"lost/client-gone":      rule.Each(clientGoneRule),
		"lost/slow-request":     rule.Each(slowRequestRule),
		"lost/storm":            rule.Each(stormRule),
	}
}
