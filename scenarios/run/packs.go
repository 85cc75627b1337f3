package run

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncespec/oncespec/scenarios/conflict"
	"github.com/oncespec/oncespec/scenarios/crash"
	"github.com/oncespec/oncespec/scenarios/downstream"
	"github.com/oncespec/oncespec/scenarios/failure"
	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/key"
	"github.com/oncespec/oncespec/scenarios/lost"
	"github.com/oncespec/oncespec/scenarios/race"
	"github.com/oncespec/oncespec/scenarios/replay"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/status"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios returns every scenario in the order they run: what others build on first, what disturbs last. The storm is the
// last that kills, since it builds on the others.
func Scenarios() []target.Scenario {
	all := slices.Concat(replay.Scenarios(), race.Scenarios(), conflict.Scenarios(), key.Scenarios(), lost.Scenarios(),
		failure.Scenarios(), status.Scenarios(), fingerprint.Scenarios(), crash.Scenarios(), []target.Scenario{lost.Storm()})
	slices.SortStableFunc(all, func(a, b target.Scenario) int { return turn(a) - turn(b) })
	return all
}

// turn orders scenarios: those that disturb the others come later.
func turn(sc target.Scenario) int {
	switch {
	case sc.Ages:
		return 2
	case sc.Ends():
		return 1
	}
	return 0
}

// rules returns the rule of every requirement.
func rules() map[string]rule.Rule {
	all := map[string]rule.Rule{}
	for _, pack := range []map[string]rule.Rule{replay.Rules(), conflict.Rules(), key.Rules(), lost.Rules(), race.Rules(),
		failure.Rules(), crash.Rules(), downstream.Rules(), status.Rules(), fingerprint.Rules()} {
		maps.Copy(all, pack)
	}
	return all
}

// Scenario returns the scenario with the id.
func Scenario(id string) (target.Scenario, error) {
	for _, s := range Scenarios() {
		if s.ID == id {
			return s, nil
		}
	}
	return target.Scenario{}, fmt.Errorf("no scenario is called %q", id)
}
