package ruletest

import (
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
)

// Complete holds a pack to the catalogue: each of its rows has a rule and each rule a row; each of the pack's scenarios that
// a row names is there, and each that is there is named by a row.
func Complete(t testing.TB, pack string, rules map[string]rule.Rule, scenarios ...string) {
	t.Helper()
	var named []string
	for _, row := range catalogue.All() {
		named = append(named, row.Scenarios...)
		if row.Pack() == pack && rules[row.ID] == nil {
			t.Errorf("requirement %s has no rule", row.ID)
		}
		for _, s := range row.Scenarios {
			if strings.HasPrefix(s, pack+"/") && !slices.Contains(scenarios, s) {
				t.Errorf("requirement %s is judged by scenario %s, which does not exist", row.ID, s)
			}
		}
	}
	for id := range rules {
		if row, ok := catalogue.Find(id); !ok || row.Pack() != pack {
			t.Errorf("rule %s has no row in the pack", id)
		}
	}
	for _, s := range scenarios {
		if !slices.Contains(named, s) {
			t.Errorf("no requirement is judged by scenario %s", s)
		}
	}
}
