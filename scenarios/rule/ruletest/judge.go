package ruletest

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// IETF is the default profile with changes.
func IETF(t testing.TB, changes ...func(*contract.Contract)) contract.Contract {
	t.Helper()
	c, err := contract.Profile(contract.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

// Judge applies the rule of a requirement and returns the worst finding of each part, "" for the whole. It holds the rule
// to what every rule owes: a part that the catalogue knows, a detail, and a blame where there is one to give.
func Judge(t testing.TB, rules map[string]rule.Rule, id string, c contract.Contract, hs ...*history.History) map[string]rule.Finding {
	t.Helper()
	row, ok := catalogue.Find(id)
	if !ok || rules[id] == nil {
		t.Fatalf("requirement %s: expected a row and a rule", id)
	}
	worst := map[string]rule.Finding{}
	for _, f := range rules[id](rule.Case{Requirement: row, Contract: c, Operation: historytest.Operation, Histories: hs}) {
		if !knows(row, f.Part) {
			t.Errorf("%s: finding on part %q, which the catalogue does not have", id, f.Part)
		}
		if f.Detail == "" || len(f.Histories) == 0 && f.Outcome != verdict.NotAssessed {
			t.Errorf("%s: a finding without detail or histories: %+v", id, f)
		}
		if blamed := f.Outcome == verdict.Fail || f.Outcome == verdict.Inconclusive; blamed && f.Blame == verdict.Nobody {
			t.Errorf("%s: %s blames nobody: %s", id, f.Outcome, f.Detail)
		}
		if f.Outcome == verdict.Pass && f.Proof == verdict.None {
			t.Errorf("%s: passed without proof: %s", id, f.Detail)
		}
		if w, seen := worst[f.Part]; !seen || rank[f.Outcome] < rank[w.Outcome] {
			worst[f.Part] = f
		}
	}
	return worst
}

// Expect compares the outcome on the whole requirement.
func Expect(t testing.TB, rules map[string]rule.Rule, id string, want verdict.Outcome, c contract.Contract, hs ...*history.History) rule.Finding {
	t.Helper()
	return ExpectPart(t, rules, id, "", want, c, hs...)
}

// ExpectPart compares the outcome on a part; an empty one expects that nothing is said of it.
func ExpectPart(t testing.TB, rules map[string]rule.Rule, id, part string, want verdict.Outcome, c contract.Contract, hs ...*history.History) rule.Finding {
	t.Helper()
	f := Judge(t, rules, id, c, hs...)[part]
	if f.Outcome != want {
		t.Errorf("%s %s: expected %q, found %q: %s", id, part, want, f.Outcome, f.Detail)
	}
	return f
}

func knows(row catalogue.Requirement, part string) bool {
	if len(row.Parts) == 0 {
		return part == ""
	}
	for _, p := range row.Parts {
		if p.ID == part {
			return true
		}
	}
	return false
}

var rank = map[verdict.Outcome]int{verdict.Fail: 0, verdict.Inconclusive: 1, verdict.Pass: 2, verdict.NotAssessed: 3}
