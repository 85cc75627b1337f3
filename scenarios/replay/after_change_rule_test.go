package replay

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestAfterChange(t *testing.T) {
	t.Parallel()
	type scene struct {
		*historytest.Builder
		alter, retry *history.Attempt
		seen         *history.Observation
	}
	current := answer(200, `{"id":"t-1","state":"closed"}`)
	for name, tc := range map[string]struct {
		change   func(*scene)
		fidelity contract.Fidelity
		want     verdict.Outcome
	}{
		"the stored answer":                       {func(*scene) {}, "status+body", pass},
		"the current answer, stored declared":     {func(s *scene) { current(s.retry) }, "status+body", fail},
		"the current answer, resource declared":   {func(s *scene) { current(s.retry) }, "resource", pass},
		"the stored answer, resource declared":    {func(*scene) {}, "resource", pass},
		"another resource":                        {func(s *scene) { answer(201, `{"id":"t-2"}`)(s.retry) }, "resource", fail},
		"anything else, only the effect declared": {func(s *scene) { answer(410, `{}`)(s.retry) }, "effect", notAssessed},
		"it breaks":                          {func(s *scene) { answer(500, `{}`)(s.retry) }, "effect", fail},
		"it makes another":                   {func(s *scene) { s.seen.Count = 2 }, "status+body", fail},
		"the change took it out of the list": {func(s *scene) { s.seen.Count, s.seen.IDs = 0, nil }, "status+body", pass},
		"the change was refused":             {func(s *scene) { answer(403, `{}`)(s.alter) }, "status+body", inconclusive},
		"the retry was lost":                 {func(s *scene) { lost(s.retry) }, "status+body", inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scene{Builder: historytest.New("replay/after-change")}
			in := s.Intent()
			s.Answered(in, "first", 201, `{"id":"t-1","state":"open"}`)
			s.Saw(in, history.Resource, "first", 1, "t-1")
			s.alter = s.Answered(in, "alter", 200, `{}`)
			s.retry = s.Answered(in, "retry", 201, `{"id":"t-1","state":"open"}`)
			s.seen = s.Saw(in, history.Resource, "after", 1, "t-1")
			tc.change(s)
			ruletest.Expect(t, Rules(), "replay/after-change", tc.want, ruletest.IETF(t, fidelity(tc.fidelity)), s.History())
		})
	}
}

// A reading from before the retry tells nothing of what the retry did.
func TestAfterChangeIsReadAfterTheRetry(t *testing.T) {
	t.Parallel()
	b := historytest.New("replay/after-change").Offers("resource")
	in := b.Intent()
	b.Answered(in, "first", 201, `{"id":"t-1"}`)
	b.Answered(in, "alter", 200, `{}`)
	retry := b.Answered(in, "retry", 201, `{"id":"t-1"}`)
	b.Saw(in, history.Resource, "after", 1, "t-1")
	ruletest.Expect(t, Rules(), "replay/after-change", pass, ruletest.IETF(t, fidelity("status+body")), b.History())
	ruletest.Expect(t, Rules(), "replay/after-change", inconclusive, ruletest.IETF(t, fidelity("status+body")), ruletest.ReadEarly(b.History(), retry))
}

func TestOneEffectIsReadAfterTheRetries(t *testing.T) {
	t.Parallel()
	s := replayed()
	last := s.retry
	if len(s.more) > 0 {
		last = s.more[len(s.more)-1]
	}
	for _, part := range []string{"resource", "value", "downstream"} {
		ruletest.ExpectPart(t, Rules(), "replay/one-effect", part, inconclusive, ruletest.IETF(t), ruletest.ReadEarly(s.History(), last))
	}
}
