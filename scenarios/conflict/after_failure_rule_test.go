package conflict

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

type failedStory struct {
	*historytest.Builder
	in, other                         *history.Intent
	fault                             *history.Fault
	first, changed, control, original *history.Attempt
	seen, otherSeen                   *history.Observation
}

// failedFirst tells of a target that refuses the changed payload, and executes the first one when it is sent again.
func failedFirst() *failedStory {
	s := &failedStory{Builder: historytest.New("conflict/after-failure")}
	s.in = s.Intent()
	s.fault = s.Fault("fail-downstream", s.in, "")
	s.first = s.Answered(s.in, "first", 500, `{"title":"the provider failed"}`)
	s.other = s.Intent()
	s.other.Key = s.in.Key
	s.changed = s.Answered(s.other, "changed", 422, refusalBody)
	s.control = s.Answered(s.Intent(), "control", 201, `{"id":"t-3"}`)
	s.original = s.Answered(s.in, "original", 201, `{"id":"t-1"}`)
	s.seen = s.Saw(s.in, history.Resource, "after", 1, "t-1")
	s.otherSeen = s.Saw(s.other, history.Resource, "after", 0)
	return s
}

// freed lets the changed payload be executed instead.
func (s *failedStory) freed() {
	answer(201, `{"id":"t-2"}`)(s.changed)
	s.otherSeen.Count, s.otherSeen.IDs = 1, []string{"t-2"}
	answer(422, refusalBody)(s.original)
	s.seen.Count, s.seen.IDs = 0, nil
}

// together makes both share their markers, as where the path names a parent.
func (s *failedStory) together(effects int) {
	s.other.TwinOf, s.other.Markers = s.in.ID, s.in.Markers
	s.seen.Count, s.otherSeen.Count = effects, effects
}

func TestAfterFailure(t *testing.T) {
	t.Parallel()
	open := func(*contract.Contract) {}
	for name, tc := range map[string]struct {
		change func(*failedStory)
		with   func(*contract.Contract)
		want   verdict.Outcome
	}{
		"refused":                                   {func(*failedStory) {}, open, pass},
		"refused, the failure stays":                {func(s *failedStory) { answer(500, "{}")(s.original); s.seen.Count = 0 }, open, pass},
		"told to come back":                         {func(s *failedStory) { answer(409, "{}")(s.changed) }, open, pass},
		"the key is free":                           {func(s *failedStory) { s.freed() }, open, pass},
		"the key is free, though it is to be kept":  {func(s *failedStory) { s.freed() }, func(c *contract.Contract) { c.FailedRetry = "resume" }, fail},
		"the key is free, though failures are kept": {func(s *failedStory) { s.freed() }, func(c *contract.Contract) { c.Stored.ServerErrors = "yes" }, fail},
		"both executed":                             {func(s *failedStory) { s.freed(); answer(201, `{"id":"t-1"}`)(s.original); s.seen.Count = 1 }, open, fail},
		"both executed, one came late":              {func(s *failedStory) { s.freed(); s.Saw(s.in, history.Resource, "final", 1, "t-1") }, open, fail},
		"the first one executed in its place":       {func(s *failedStory) { answer(201, `{"id":"t-1"}`)(s.changed) }, open, fail},
		"a success without an effect":               {func(s *failedStory) { answer(201, `{}`)(s.changed); s.seen.Count = 0 }, open, fail},
		"the first one is given the changed one's":  {func(s *failedStory) { s.freed(); answer(201, `{"id":"t-2"}`)(s.original) }, open, fail},
		"the stored failure hides the change":       {func(s *failedStory) { s.changed.Answer = s.first.Answer }, open, fail},
		"it breaks on the change":                   {func(s *failedStory) { answer(500, `{"title":"oops"}`)(s.changed) }, open, fail},
		"it breaks, under a fresh key too":          {func(s *failedStory) { answer(500, `{"title":"oops"}`)(s.changed); answer(500, "{}")(s.control) }, open, inconclusive},
		"refused, yet executed":                     {func(s *failedStory) { s.otherSeen.Count = 1; s.seen.Count = 0 }, open, fail},
		"503":                                       {func(s *failedStory) { answer(503, "{}")(s.changed) }, open, inconclusive},
		"lost":                                      {func(s *failedStory) { lost(s.changed) }, open, inconclusive},
		"the target asked again by itself":          {func(s *failedStory) { answer(201, `{"id":"t-1"}`)(s.first) }, open, notAssessed},
		"nothing was failed":                        {func(s *failedStory) { s.fault.Landed = false }, open, inconclusive},
		"refused under a fresh key too":             {func(s *failedStory) { answer(422, "{}")(s.control) }, open, inconclusive},
		"together, refused":                         {func(s *failedStory) { s.together(1) }, open, pass},
		"together, both executed":                   {func(s *failedStory) { s.together(2); answer(201, `{}`)(s.changed) }, open, fail},
		"together, one effect and two successes":    {func(s *failedStory) { s.together(1); answer(201, `{}`)(s.changed) }, open, fail},
		"together, the key is free":                 {func(s *failedStory) { s.freed(); s.together(1) }, open, pass},
		"executed as declared is never green":       {func(s *failedStory) { s.freed() }, mismatch(contract.Response{Action: "execute"}), notAssessed},
		"both executed as declared is never green":  {func(s *failedStory) { s.freed(); s.seen.Count = 1 }, mismatch(contract.Response{Action: "execute"}), fail},
		"the list could not be read, and a success": {func(s *failedStory) { s.freed(); s.otherSeen.Error = "500" }, open, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := failedFirst()
			tc.change(s)
			ruletest.Expect(t, Rules(), "conflict/after-failure", tc.want, ruletest.IETF(t, tc.with), s.History())
		})
	}
}
