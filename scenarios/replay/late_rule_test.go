package replay

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// TestTheRetryThatComesLate: what is remembered for some seconds only is forgotten by the end of a run.
func TestTheRetryThatComesLate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change          func(s *story, late *history.Attempt, seen *history.Observation)
		oneEffect, many verdict.Outcome
		says            string
	}{
		"it is replayed": {func(*story, *history.Attempt, *history.Observation) {}, pass, pass, ""},
		"it is executed again": {func(_ *story, late *history.Attempt, seen *history.Observation) {
			answer(201, `{"id":"t-2"}`)(late)
			seen.Count, seen.IDs = 2, []string{"t-1", "t-2"}
		}, fail, fail, "5.0 s after the first attempt"},
		"it is executed again, and answered with the old body": {func(_ *story, _ *history.Attempt, seen *history.Observation) { seen.Count = 2 }, fail, pass, ""},
		"it is refused":              {func(_ *story, late *history.Attempt, _ *history.Observation) { answer(422, `{}`)(late) }, pass, fail, "5.0 s"},
		"it is lost":                 {func(_ *story, late *history.Attempt, _ *history.Observation) { lost(late) }, pass, pass, ""},
		"it is asked to slow down":   {func(_ *story, late *history.Attempt, _ *history.Observation) { answer(429, `{}`)(late) }, pass, pass, ""},
		"the others were never seen": {func(s *story, late *history.Attempt, _ *history.Observation) { s.each(lost); answer(201, `{}`)(late) }, pass, inconclusive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			late := s.replay("late")
			late.Began = s.first.Began + 5_000_000
			seen := s.Saw(s.in, history.Resource, "late", 1, "t-1")
			tc.change(s, late, seen)
			c := rule.Case{Contract: ruletest.IETF(t), Histories: []*history.History{s.History()}}
			if got := oneEffect(c, s.History())[0]; got.Outcome != tc.oneEffect {
				t.Errorf("one-effect: %s, want %s: %s", got.Outcome, tc.oneEffect, got.Detail)
			}
			if got := manyTimes(c, s.History())[0]; got.Outcome != tc.many || !strings.Contains(got.Detail, tc.says) {
				t.Errorf("many-times: %s, want %s: %s", got.Outcome, tc.many, got.Detail)
			}
		})
	}
}
