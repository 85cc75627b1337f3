package fingerprint

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// manyOf is the history of a screening: what each B, and each under a key of its own, was answered; 0: not sent.
type manyOf struct {
	rows      []string
	b, own    []int
	again     int
	effects   int
	late      int  // effects in the last reading
	unreached bool // nothing shows that the B's reached the target
}

func (m manyOf) history() *history.History {
	h := &history.History{Schema: history.Schema, ID: "many", Scenario: "fingerprint/rewrites", Operations: []string{"op"}}
	add := func(label, intent string, status int) {
		if status == 0 {
			return
		}
		a := &history.Attempt{Label: label, Intent: intent, Outcome: history.Answered, Link: history.Link{Reached: true, RequestWhole: true},
			Answer: &history.Answer{Status: status, Header: map[string][]string{}, Body: history.Body{Text: `{"id":"1"}`}}}
		if m.unreached && strings.HasPrefix(label, "b") {
			a.Outcome, a.Answer, a.Link = history.Lost, nil, history.Link{}
		}
		h.Events = append(h.Events, history.Event{Attempt: a})
	}
	see := func(moment string, n int) {
		h.Events = append(h.Events, history.Event{Observation: &history.Observation{Intent: "i1", Probe: "http", Kind: history.Resource, Moment: moment, Count: n}})
	}
	add("first", "i1", 201)
	for i, id := range m.rows {
		h.Screen = append(h.Screen, history.Rewrite{ID: id})
		add(label(i), "i1", m.b[i])
	}
	add("again", "i1", m.again)
	see("after", m.effects)
	for i, status := range m.own {
		add(own(i), "i2", status)
	}
	if m.late > 0 {
		see(history.AtTheEnd, m.late)
	}
	return h
}

func TestManyUnderOneKeyAreToldApart(t *testing.T) {
	t.Parallel()
	promised, err := contract.Profile("ietf-07")
	if err != nil {
		t.Fatal(err)
	}
	const same, other, different = "space/pretty", "order/top", "nested/leaf"
	for name, c := range map[string]struct {
		many manyOf
		also []pairOf
		want map[string]string // by rewrite: outcome and words
	}{
		"all replay": {manyOf{rows: []string{same, other}, b: []int{201, 201}, again: 201, effects: 1}, nil,
			map[string]string{same: "pass replayed", other: "pass replayed"}},
		"refused, and accepted under its own key": {manyOf{rows: []string{different}, b: []int{422}, own: []int{201}, again: 201, effects: 1}, nil,
			map[string]string{different: "pass accepted under a key of its own"}},
		"refused under its own key too": {manyOf{rows: []string{different}, b: []int{422}, own: []int{422}, again: 201, effects: 1}, nil,
			map[string]string{different: "not assessed vacuous"}},
		"refused without a control proves nothing": {manyOf{rows: []string{different}, b: []int{422}, again: 201, effects: 1}, nil,
			map[string]string{different: "inconclusive was not sent under a key of its own"}},
		"suspected, and not looked at": {manyOf{rows: []string{different}, b: []int{201}, again: 201, effects: 1}, nil,
			map[string]string{different: "inconclusive was not sent by itself"}},
		"suspected, and by itself confused": {manyOf{rows: []string{same, different}, b: []int{201, 201}, again: 201, effects: 1},
			[]pairOf{{rewrite: different, a: 201, b: 201, control: 201, effects: 1}}, map[string]string{same: "pass", different: "fail false replay"}},
		"executed, and found by itself": {manyOf{rows: []string{same, other}, b: []int{201, 201}, again: 201, effects: 2},
			[]pairOf{{rewrite: same, a: 201, b: 201, effects: 2}, {rewrite: other, a: 201, b: 201, effects: 1}},
			map[string]string{same: "fail double execution", other: "pass"}},
		"executed, and by none alone": {manyOf{rows: []string{same, other}, b: []int{201, 422}, again: 201, effects: 2},
			[]pairOf{{rewrite: same, a: 201, b: 201, effects: 1}, {rewrite: other, a: 201, b: 201, effects: 1}},
			map[string]string{same: "fail one was executed", other: "pass"}},
		"executed late": {manyOf{rows: []string{same}, b: []int{201}, again: 201, effects: 1, late: 2}, nil,
			map[string]string{same: "fail one was executed"}},
		"no proof that it got there": {manyOf{rows: []string{same}, b: []int{201}, again: 201, effects: 1, unreached: true}, nil,
			map[string]string{same: "inconclusive"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := []*history.History{c.many.history()}
			for _, p := range c.also {
				all = append(all, p.history())
			}
			worst := map[string]string{}
			for _, f := range judgeAll(rule.Case{Contract: promised, Operation: "op", Histories: all}, func(rewrite.Rewrite) bool { return true }) {
				if said := string(f.Outcome) + " " + f.Detail; worst[f.Part] == "" || f.Outcome == verdict.Fail {
					worst[f.Part] = said
				}
			}
			for id, want := range c.want {
				outcome, words := want, ""
				for _, o := range []string{"pass", "fail", "inconclusive", "not assessed"} {
					if strings.HasPrefix(want, o) {
						outcome, words = o, strings.TrimSpace(strings.TrimPrefix(want, o))
					}
				}
				if got := worst[id]; !strings.HasPrefix(got, outcome) || !strings.Contains(got, words) {
					t.Errorf("%s: %q, want %s: …%s…", id, got, outcome, words)
				}
			}
		})
	}
}

// TestWhatWasNeverChangedIsSaid: a pass of the search does not hide where nothing was tried.
func TestWhatWasNeverChangedIsSaid(t *testing.T) {
	t.Parallel()
	promised, err := contract.Profile("ietf-07")
	if err != nil {
		t.Fatal(err)
	}
	h := manyOf{rows: []string{"space/pretty"}, b: []int{201}, again: 201, effects: 1}.history()
	h.Events = append(h.Events, history.Event{Note: catalogue.NotVaried + "/to, ?q"})
	got := propertyRule(rule.Case{Contract: promised, Operation: "op", Histories: []*history.History{h}})
	if len(got) != 1 || got[0].Outcome != verdict.Pass || !strings.HasSuffix(got[0].Detail, catalogue.NotVaried+"/to, ?q") {
		t.Errorf("%+v", got)
	}
}
