package key

import (
	"slices"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	aging := []catalogue.Need{catalogue.NeedState, catalogue.NeedKeyHeader, catalogue.NeedLifetime, catalogue.NeedClock}
	return []target.Scenario{
		{
			ID:       "key/syntax",
			Sentence: "Sends writes without a key, with random, respelled and malformed ones, and with two.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader},
			Run:      syntax,
		},
		{
			ID:       "key/identity",
			Sentence: "Sends writes under keys that differ in one letter's case, in the last character, or in all, with one payload.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader},
			Run:      identity,
		},
		{
			ID:       "key/scope",
			Sentence: "Sends a write, then uses its key as another principal, also at the same time, on another operation and on a GET.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader},
			Run:      scope,
		},
		{
			ID:       "key/in-path",
			Sentence: "Sends a write whose path holds its identity three times.",
			Needs:    []catalogue.Need{catalogue.NeedKeyInPath},
			Run:      inPath,
		},
		{
			ID:       "key/retained",
			Sentence: "Sends a write, lets its key grow old until just before its lifetime ends, and sends it again.",
			Needs:    aging,
			Run:      retained,
			Ages:     true,
		},
		{
			ID:       "key/expired",
			Sentence: "Sends a write, lets the lifetime of its key end, and uses the key again.",
			Needs:    aging,
			Run:      expired,
			Ages:     true,
		},
		{
			ID:       "key/unresolved-kept",
			Sentence: "Leaves the outcome of a write in doubt for longer than its key's lifetime, then sends it again.",
			Needs:    append(slices.Clone(aging), catalogue.NeedGate),
			Run:      unresolvedKept,
			Ages:     true,
		},
	}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"key/required":        required,
		"key/accepts-random":  acceptsRandom,
		"key/quoted-and-bare": quotedAndBare,
		"key/malformed":       malformed,
		"key/sent-twice":      sentTwice,
		"key/case-matters":    caseMatters,
		"key/full-length":     fullLength,
		"key/distinct-keys":   distinctKeys,
		"key/other-principal": otherPrincipal,
		"key/other-operation": otherOperation,
		"key/safe-method":     safeMethod,
		"key/in-path":         rule.Each(inPathRule),
		"key/retained":        rule.Each(retainedRule),
		"key/expired":         rule.Each(expiredRule),
		"key/unresolved-kept": rule.Each(unresolvedKeptRule),
	}
}
