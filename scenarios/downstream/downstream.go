package downstream

import "github.com/oncespec/oncespec/scenarios/rule"

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"downstream/stable-key": stableKeyRule,
		"downstream/one-effect": oneEffectRule,
		"downstream/reconciles": reconcilesRule,
		"downstream/own-key":    rule.Each(ownKeyRule),
	}
}
