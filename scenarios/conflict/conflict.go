package conflict

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios returns the pack's scenarios in the order they run.
func Scenarios() []target.Scenario {
	return []target.Scenario{
		{
			ID:       "conflict/changed",
			Sentence: "Send a write, then a changed payload under its key, twice, and the write again.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedChange},
			Run:      changed,
		},
		{
			ID:       "conflict/disclosure",
			Sentence: "Send a write full of unique values, then another write under its key.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedChange},
			Run:      disclosure,
		},
		{
			ID:       "conflict/in-flight",
			Sentence: "Hold a write at its downstream call, and send a changed payload under its key meanwhile.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedChange, catalogue.NeedGate},
			Run:      inFlight,
		},
		{
			ID:       "conflict/after-failure",
			Sentence: "Let a write fail downstream, then send another one under its key.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedChange, catalogue.NeedGate},
			Run:      afterFailure,
		},
	}
}

// Rules returns the rule of each of the pack's requirements.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"conflict/refused":         rule.Each(refused),
		"conflict/no-effect":       rule.Each(noEffect),
		"conflict/original-intact": rule.Each(originalIntact),
		"conflict/no-disclosure":   rule.Each(noDisclosure),
		"conflict/repeatable":      rule.Each(repeatable),
		"conflict/in-flight":       rule.Each(whileInFlight),
		"conflict/after-failure":   rule.Each(afterFailed),
		"conflict/explained":       rule.Each(explained),
	}
}

// control sends the changed payload under a key of its own: what is refused there too was not refused for its key.
func control(ctx context.Context, s *target.Stage, opts ...target.IntentOption) error {
	in, err := s.Intent(ctx, opts...)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: "control", Change: true})
	return nil
}
