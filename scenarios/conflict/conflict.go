package conflict

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	return []target.Scenario{
		{
			ID:       "conflict/changed",
			Sentence: "Sends a write, then a changed payload under its key, twice, and the write again.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedChange},
			Run:      changed,
		},
		{
			ID:       "conflict/disclosure",
			Sentence: "Sends a write full of unique values, then another write under its key.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedChange},
			Run:      disclosure,
		},
		{
			ID:       "conflict/in-flight",
			Sentence: "Holds a write at its downstream call, and sends a changed payload under its key meanwhile.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedChange, catalogue.NeedGate},
			Run:      inFlight,
		},
		{
			ID:       "conflict/after-failure",
			Sentence: "Lets a write fail downstream, then sends another one under its key.",
			Needs:    []catalogue.Need{catalogue.NeedKeyHeader, catalogue.NeedChange, catalogue.NeedGate},
			Run:      afterFailure,
		},
	}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"conflict/refused":         rule.Each(refused),
		"conflict/no-effect":       rule.Each(noEffect),
		"conflict/original-intact": rule.Each(originalIntact),
		"conflict/no-disclosure":   rule.Each(disclosureRule),
		"conflict/repeatable":      rule.Each(repeatable),
		"conflict/in-flight":       rule.Each(inFlightRule),
		"conflict/after-failure":   rule.Each(afterFailureRule),
		"conflict/explained":       rule.Each(explained),
	}
}

// rival makes another write under the intent's key, with markers of its own. Where the setup makes a parent, the path may name
// it, and a payload of another intent would go to another route; there the rival is a twin that differs only in what the
// changed payload changes.
func rival(ctx context.Context, s *target.Stage, in *target.Intent) (*target.Intent, error) {
	opts := []target.IntentOption{target.WithKey(in.Key)}
	if len(s.Operation().Setup) > 0 {
		opts = append(opts, target.TwinOf(in))
	}
	return s.Intent(ctx, opts...)
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
