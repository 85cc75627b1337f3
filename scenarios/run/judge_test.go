package run

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// judgeWith judges one requirement with a rule of the test's own.
func judgeWith(t *testing.T, id string, r rule.Rule, hs ...*history.History) []verdict.Verdict {
	t.Helper()
	p := &Plan{Operations: []PlanOperation{{Name: "op", Offers: catalogue.Needs()}}}
	return judgeCheck(p, Check{Requirement: id, Operation: "op"}, hs, map[string]rule.Rule{id: r})
}

func made(scenario, trial string, try int, events int) *history.History {
	h := &history.History{Schema: history.Schema, ID: strings.ReplaceAll(scenario, "/", "-") + ".op." + trial + string(rune('0'+try)), Scenario: scenario,
		Operations: []string{"op"}, Trial: trial, Tries: try}
	for i := range events {
		h.Events = append(h.Events, history.Event{Seq: i + 1, Note: "x"})
	}
	return h
}

func TestTheWorstFindingCountsAndTheSmallestHistoryComesFirst(t *testing.T) {
	t.Parallel()
	big, small, good := made("lost/response", "a", 1, 9), made("lost/response", "b", 1, 3), made("lost/response", "c", 1, 1)
	vs := judgeWith(t, "lost/response", rule.Each(func(_ rule.Case, h *history.History) []rule.Finding {
		if h == good {
			return []rule.Finding{rule.Pass(verdict.Strong, "fine")}
		}
		return []rule.Finding{rule.Fail(verdict.Strong, "two effects")}
	}), big, small, good)
	if len(vs) != 1 || vs[0].Verdict != verdict.Fail || vs[0].Histories[0] != small.ID || len(vs[0].Histories) != 2 {
		t.Errorf("got %+v", vs)
	}
}

func TestAPassIsAsWellProvenAsItsWeakestTrial(t *testing.T) {
	t.Parallel()
	strong, weak := made("lost/response", "a", 1, 1), made("lost/response", "b", 1, 1)
	vs := judgeWith(t, "lost/response", rule.Each(func(_ rule.Case, h *history.History) []rule.Finding {
		if h == weak {
			return []rule.Finding{rule.Pass(verdict.Weak, "fine")}
		}
		return []rule.Finding{rule.Pass(verdict.Strong, "fine")}
	}), strong, weak)
	if vs[0].Verdict != verdict.Pass || vs[0].Proof != verdict.Weak {
		t.Errorf("got %+v", vs[0])
	}
}

func TestALaterTryReplacesAnInconclusiveOneButNeverAFail(t *testing.T) {
	t.Parallel()
	byTry := func(outcomes ...verdict.Outcome) rule.Rule {
		return rule.Each(func(_ rule.Case, h *history.History) []rule.Finding {
			return []rule.Finding{{Outcome: outcomes[h.Tries-1], Proof: verdict.Strong}}
		})
	}
	first, second := made("lost/response", "", 1, 1), made("lost/response", "", 2, 1)
	if vs := judgeWith(t, "lost/response", byTry(verdict.Inconclusive, verdict.Pass), first, second); vs[0].Verdict != verdict.Pass {
		t.Errorf("inconclusive, then pass: %s", vs[0].Verdict)
	}
	if vs := judgeWith(t, "lost/response", byTry(verdict.Fail, verdict.Pass), first, second); vs[0].Verdict != verdict.Fail {
		t.Errorf("fail, then pass: %s; a fail is never retried away", vs[0].Verdict)
	}
}

func TestWhatIsMissingIsNeverAPass(t *testing.T) {
	t.Parallel()
	pass := func(rule.Case) []rule.Finding { return []rule.Finding{rule.Pass(verdict.Strong, "fine")} }
	if vs := judgeWith(t, "lost/response", pass); vs[0].Verdict != verdict.Inconclusive {
		t.Errorf("no history: %s", vs[0].Verdict)
	}
	aborted := made("lost/response", "", 1, 1)
	aborted.Aborted, aborted.Blame = "the target went away", string(verdict.Environment)
	if vs := judgeWith(t, "lost/response", pass, aborted); vs[0].Verdict != verdict.Inconclusive || vs[0].Blame != verdict.Environment || vs[0].Detail != aborted.Aborted {
		t.Errorf("only an aborted history: %+v", vs[0])
	}
	silent := func(rule.Case) []rule.Finding { return nil }
	if vs := judgeWith(t, "lost/response", silent, made("lost/response", "", 1, 1)); vs[0].Verdict != verdict.NotAssessed {
		t.Errorf("a silent rule: %s", vs[0].Verdict)
	}
	broken := func(rule.Case) []rule.Finding { panic("oops") }
	if vs := judgeWith(t, "lost/response", broken, made("lost/response", "", 1, 1)); vs[0].Verdict != verdict.Error || vs[0].Blame != verdict.Harness {
		t.Errorf("a broken rule: %+v", vs[0])
	}
}

func TestAFailedShouldWarnsUnlessStrict(t *testing.T) {
	t.Parallel()
	r, _ := catalogue.Find("race/retry-after")
	for strict, want := range map[bool]verdict.Outcome{false: verdict.Warn, true: verdict.Fail} {
		v := complete(&Plan{Strict: strict}, r, Check{Operation: "op"}, rule.Fail(verdict.Strong, "x"))
		if v.Verdict != want {
			t.Errorf("strict %v: %s, want %s", strict, v.Verdict, want)
		}
	}
}

func TestPremisesKeepAReportAboutOneDefectShort(t *testing.T) {
	t.Parallel()
	on := func(id, op string, o verdict.Outcome) verdict.Verdict {
		return verdict.Verdict{ID: id, Level: verdict.Must, Operations: []string{op}, Verdict: o, Detail: "as judged"}
	}
	got := applyPremises([]verdict.Verdict{
		on("replay/one-effect", "a", verdict.Fail), on("lost/response", "a", verdict.Fail), on("replay/many-times", "a", verdict.Pass),
		on("key/distinct-keys", "a", verdict.Pass), on("lost/response", "b", verdict.Fail), on("lost/reset", "a", verdict.NotAssessed),
	})
	want := []verdict.Outcome{verdict.Fail, verdict.NotAssessed, verdict.NotAssessed, verdict.Pass, verdict.Fail, verdict.NotAssessed}
	for i := range want {
		if got[i].Verdict != want[i] {
			t.Errorf("%s on %s: %s, want %s", got[i].ID, got[i].Operations, got[i].Verdict, want[i])
		}
	}
	if got[1].Detail != "premise failed: replay/one-effect" || got[5].Detail != "as judged" {
		t.Errorf("details: %q, %q", got[1].Detail, got[5].Detail)
	}
}

// TestAMereWarningBreaksNoPremise: what was refused with another status than declared is refused. A SHOULD that failed is no
// mere warning: what builds on it has nothing to stand on.
func TestAMereWarningBreaksNoPremise(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		premise string
		level   verdict.Level
		outcome verdict.Outcome
		builds  string
		want    verdict.Outcome
	}{
		{"conflict/refused", verdict.Should, verdict.Warn, "fingerprint/other-meaning", verdict.Pass},
		{"conflict/refused", verdict.Should, verdict.Fail, "fingerprint/other-meaning", verdict.Pass}, // --strict
		{"conflict/refused", verdict.Must, verdict.Fail, "fingerprint/other-meaning", verdict.NotAssessed},
		{"status/by-key", verdict.Should, verdict.Warn, "status/final", verdict.NotAssessed},
		{"status/by-key", verdict.Should, verdict.Fail, "status/final", verdict.NotAssessed},
	} {
		got := applyPremises([]verdict.Verdict{
			{ID: tc.premise, Level: tc.level, Operations: []string{"a"}, Verdict: tc.outcome},
			{ID: tc.builds, Level: verdict.Must, Operations: []string{"a"}, Verdict: verdict.Pass},
		})
		if got[1].Verdict != tc.want {
			t.Errorf("%s of a %s in %s: %s is %s, want %s", tc.outcome, tc.level, tc.premise, tc.builds, got[1].Verdict, tc.want)
		}
	}
}

func TestA429IsNoVerdict(t *testing.T) {
	t.Parallel()
	fails := rule.Each(func(rule.Case, *history.History) []rule.Finding {
		return []rule.Finding{rule.Fail(verdict.Strong, "it is wrong")}
	})
	told := func(label string, status, effects int) *history.History {
		b := historytest.New("lost/response")
		in := b.Intent()
		b.Answered(in, label, status, "slow down")
		b.Saw(in, history.Resource, "after", effects)
		return b.History()
	}
	for name, tc := range map[string]struct {
		h    *history.History
		want verdict.Outcome
	}{
		"an attempt that counts":         {told("retry", 429, 1), verdict.Inconclusive},
		"one that was sent again":        {told(history.Slowed, 429, 1), verdict.Fail},
		"a second effect is one":         {told("retry", 429, 2), verdict.Fail},
		"another answer is the target's": {told("retry", 409, 1), verdict.Fail},
	} {
		if got := apply(fails, rule.Case{Histories: []*history.History{tc.h}})[0]; got.Outcome != tc.want {
			t.Errorf("%s: %s, want %s", name, got.Outcome, tc.want)
		}
	}
}

func TestWhatDidNotRunSaysWhyTheRunEnded(t *testing.T) {
	t.Parallel()
	p := &Plan{Operations: []PlanOperation{{Name: "op", Offers: catalogue.Needs()}}, Checks: []Check{{Requirement: "lost/reset", Operation: "op"}},
		Ended: "the run ended early (limits.duration: 10m0s were over)"}
	v := Judge(p, nil)[0]
	if v.Verdict != verdict.Inconclusive || v.Blame != verdict.Environment || !strings.Contains(v.Detail, "limits.duration") {
		t.Errorf("found %+v", v)
	}
}

// TestEveryRowCanBeJudged: each requirement has a rule, each rule a row, each row an existing scenario and existing premises.
func TestEveryRowCanBeJudged(t *testing.T) {
	t.Parallel()
	rules := rules()
	rows := map[string]bool{}
	for _, r := range catalogue.All() {
		if rows[r.ID] {
			t.Errorf("%s stands twice in the catalogue", r.ID)
		}
		rows[r.ID] = true
		if rules[r.ID] == nil {
			t.Errorf("%s has no rule", r.ID)
		}
		for _, s := range r.Scenarios {
			if _, err := Scenario(s); s != "*" && err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		}
		for _, p := range r.Premises {
			if _, found := catalogue.Find(p); !found {
				t.Errorf("%s builds on %s, which is no requirement", r.ID, p)
			}
		}
		if r.Sentence == "" || len(r.Sources) == 0 || r.Level == "" {
			t.Errorf("%s is incomplete", r.ID)
		}
	}
	for id := range rules {
		if !rows[id] {
			t.Errorf("the rule of %s has no row", id)
		}
	}
}

func TestAnAbortedTrialIsNeverAPass(t *testing.T) {
	t.Parallel()
	fine, cut := made("lost/response", "a", 1, 1), made("lost/response", "b", 1, 1)
	cut.Aborted, cut.Blame = "the setup was refused", string(verdict.Environment)
	for outcome, want := range map[verdict.Outcome]verdict.Outcome{verdict.Pass: verdict.Inconclusive, verdict.Fail: verdict.Fail} {
		vs := judgeWith(t, "lost/response", func(rule.Case) []rule.Finding { return []rule.Finding{{Outcome: outcome, Proof: verdict.Strong}} }, fine, cut)
		if vs[0].Verdict != want {
			t.Errorf("one trial %s, one aborted: %s, want %s", outcome, vs[0].Verdict, want)
		}
	}
	again := made("lost/response", "a", 2, 1)
	vs := judgeWith(t, "lost/response", func(rule.Case) []rule.Finding { return []rule.Finding{rule.Pass(verdict.Strong, "fine")} }, fine, cut, again)
	if vs[0].Verdict != verdict.Pass {
		t.Errorf("a later try that went through: %s, want pass", vs[0].Verdict)
	}
}
