package conflict

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

type heldStory struct {
	*historytest.Builder
	in                             *history.Intent
	hold                           *history.Fault
	changed, first, later, control *history.Attempt
	seen                           *history.Observation
}

// held tells of a target that refuses the changed payload at once, or after the first one was let go.
func held(waits bool) *heldStory {
	s := &heldStory{Builder: historytest.New("conflict/in-flight")}
	s.in = s.Intent()
	s.hold = s.Fault("hold", s.in, history.AfterClaim)
	if !waits {
		s.changed = s.Answered(s.in, "changed", 422, refusalBody)
	}
	release := s.Fault("release", s.in, "")
	_ = release
	s.first = s.Answered(s.in, "first", 201, `{"id":"t-1"}`)
	if waits {
		s.changed = s.Answered(s.in, "changed", 422, refusalBody)
		s.changed.Began, s.changed.Link.LastRequestAt = 1200, 1300 // between hold and release
	}
	s.first.Began, s.first.Link.LastRequestAt = 100, 200
	s.later = s.Answered(s.in, "changed-later", 422, refusalBody)
	s.seen = s.Saw(s.in, history.Resource, "after", 1, "t-1")
	s.control = s.Answered(s.Intent(), "control", 201, `{"id":"t-3"}`)
	return s
}

// calls tells of one downstream call.
func (s *heldStory) calls(at int64) {
	s.Saw(s.in, history.Ledger, "after", 1).Calls = []history.Call{{Seq: 1, At: at, Method: "POST", Path: "/book", Booked: true, Status: 201}}
}

func TestInFlight(t *testing.T) {
	t.Parallel()
	order := func(o string) func(*contract.Contract) { return func(c *contract.Contract) { c.MismatchInFlight = o } }
	for name, tc := range map[string]struct {
		waits  bool
		change func(*heldStory)
		with   func(*contract.Contract)
		want   verdict.Outcome
		level  verdict.Level
	}{
		"a mismatch at once":                       {false, func(*heldStory) {}, order("either"), pass, ""},
		"told to come back":                        {false, func(s *heldStory) { answer(409, "{}")(s.changed) }, order("either"), pass, ""},
		"told to come back, left open":             {false, func(s *heldStory) { answer(409, "{}")(s.changed) }, order(""), pass, ""},
		"it waits, then a mismatch":                {true, func(*heldStory) {}, order("either"), pass, ""},
		"it waits, in flight declared first":       {true, func(*heldStory) {}, order("in-flight"), pass, ""},
		"in flight, mismatch declared first":       {false, func(s *heldStory) { answer(409, "{}")(s.changed) }, order("mismatch"), fail, verdict.Should},
		"a mismatch, in flight declared first":     {false, func(*heldStory) {}, order("in-flight"), fail, verdict.Should},
		"another refusal":                          {false, func(s *heldStory) { answer(400, "{}")(s.changed) }, order("either"), fail, verdict.Should},
		"it breaks":                                {false, func(s *heldStory) { answer(500, "{}")(s.changed) }, order("either"), fail, ""},
		"executed":                                 {false, func(s *heldStory) { answer(201, `{"id":"t-9"}`)(s.changed); s.seen.Count = 2 }, order("either"), fail, ""},
		"refused, yet executed":                    {false, func(s *heldStory) { s.seen.Count = 2 }, order("either"), fail, ""},
		"it waits and gets the first one's answer": {true, func(s *heldStory) { answer(201, `{"id":"t-1"}`)(s.changed) }, order("either"), fail, ""},
		"executed in place of the first":           {false, func(s *heldStory) { answer(201, `{"id":"t-9"}`)(s.changed); answer(409, "{}")(s.first) }, order("either"), fail, ""},
		"replayed later":                           {false, func(s *heldStory) { answer(409, "{}")(s.changed); answer(201, `{"id":"t-1"}`)(s.later) }, order("either"), fail, ""},
		"the first was never held":                 {false, func(s *heldStory) { s.hold.Landed = false }, order("either"), inconclusive, ""},
		"the first is answered, its call follows":  {false, func(s *heldStory) { s.hold.Landed = false; s.calls(s.first.Ended + 1) }, order("either"), notAssessed, ""},
		"it came too late":                         {true, func(s *heldStory) { s.changed.Link.LastRequestAt = 9000 }, order("either"), inconclusive, ""},
		"nobody saw when it came":                  {true, func(s *heldStory) { s.changed.Link.LastRequestAt = 0 }, order("either"), inconclusive, ""},
		"lost":                                     {true, func(s *heldStory) { lost(s.changed) }, order("either"), inconclusive, ""},
		"lost, yet executed":                       {true, func(s *heldStory) { lost(s.changed); s.seen.Count = 2 }, order("either"), fail, ""},
		"the first failed":                         {false, func(s *heldStory) { answer(500, "{}")(s.first) }, order("either"), inconclusive, ""},
		"refused under a fresh key too":            {false, func(s *heldStory) { answer(422, "{}")(s.control) }, order("either"), inconclusive, ""},
		"the list could not be read":               {false, func(s *heldStory) { s.seen.Error = "500" }, order("either"), inconclusive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := held(tc.waits)
			tc.change(s)
			f := ruletest.Expect(t, Rules(), "conflict/in-flight", tc.want, ruletest.IETF(t, tc.with), s.History())
			if f.Level != tc.level {
				t.Errorf("expected level %q, found %q: %s", tc.level, f.Level, f.Detail)
			}
		})
	}
}
