package key

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// pair is two principals with one key at a time: each has its ticket, then the other one's third under a fresh key.
type pair struct {
	*historytest.Builder
	in, alien           *history.Intent
	first, other, fresh *history.Attempt
	hold, release       *history.Fault // where the first one is held
	burst               *history.Burst // where both are sent at once
	theirs, later, ours *history.Observation
}

func newPair(held bool) *pair {
	s := &pair{Builder: historytest.New("key/scope").Trial("principals-at-once-1")}
	s.in, s.alien = s.Intent(), s.Intent()
	s.alien.Key, s.alien.Markers, s.alien.TwinOf, s.alien.Tenant = s.in.Key, s.in.Markers, s.in.ID, "globex"
	s.Saw(s.in, history.Resource, "idle", 0)
	s.Saw(s.alien, history.Resource, "idle", 0)
	if held {
		s.hold = s.Fault(history.FaultHold, s.in, "")
	}
	s.other = s.Answered(s.alien, "other-principal", 201, `{"id":"t-2","title":"marker-1"}`)
	if held {
		s.release = s.Fault(history.FaultRelease, s.in, "")
	}
	s.first = s.Answered(s.in, "first", 201, `{"id":"t-1","title":"marker-1"}`)
	if !held {
		s.burst = s.Burst("together", s.first, s.other)
	}
	s.theirs = s.Saw(s.alien, history.Resource, "after", 1, "t-2")
	fresh := s.Intent()
	fresh.Markers, fresh.TwinOf, fresh.Tenant = s.in.Markers, s.in.ID, "globex"
	s.fresh = s.Answered(fresh, "fresh", 201, `{"id":"t-3","title":"marker-1"}`)
	s.later = s.Saw(s.alien, history.Resource, "later", 2, "t-2", "t-3")
	s.ours = s.Saw(s.in, history.Resource, "after", 1, "t-1")
	return s
}

// seen is how many tickets of the payload the other principal sees, before and after the control, and the first one.
func (s *pair) seen(theirs, later, ours int) {
	s.theirs.Count, s.later.Count, s.ours.Count = theirs, later, ours
}

func TestPrincipalsTogether(t *testing.T) {
	t.Parallel()
	const mine, its = `{"id":"t-1","title":"marker-1"}`, `{"id":"t-2","title":"marker-1"}`
	given := func(s *pair) { answer(201, mine)(s.other); s.seen(0, 1, 1); s.later.IDs = []string{"t-3"} }
	taken := func(s *pair) { answer(201, its)(s.first); s.seen(1, 2, 0); s.ours.IDs = nil }
	common := func(s *pair) { answer(201, mine)(s.other); s.seen(0, 1, 2); s.ours.IDs = []string{"t-1", "t-3"} }
	refused := func(s *pair) { answer(409, `{}`)(s.other); s.seen(0, 1, 1); s.later.IDs = []string{"t-3"} }
	for name, tc := range map[string]struct {
		change func(*pair)
		with   with
		want   verdict.Outcome
	}{
		"each its own":                            {func(*pair) {}, ietf, pass},
		"each its own, on a list of everybody's":  {func(s *pair) { s.seen(2, 3, 3); s.ours.IDs = []string{"t-1", "t-2", "t-3"} }, ietf, pass},
		"each its own, each tenant from one":      {func(s *pair) { answer(201, mine)(s.other); s.theirs.IDs = []string{"t-1"} }, ietf, pass},
		"each its own, on a list that is behind":  {func(s *pair) { s.seen(0, 0, 0); s.final(2, 1) }, ietf, pass},
		"the first one's result":                  {given, ietf, fail},
		"the first one's, on everybody's list":    {func(s *pair) { common(s); s.theirs.Count, s.later.Count = 1, 2 }, ietf, fail},
		"the first one's, scope global":           {given, scopes(contract.Global), fail},
		"marked as a replay":                      {func(s *pair) { given(s); s.other.Answer.Header["Idempotent-Replayed"] = []string{"true"} }, marker, fail},
		"a success of nothing":                    {func(s *pair) { given(s); answer(200, `{}`)(s.other) }, ietf, fail},
		"refused, scope left open":                {refused, ietf, pass},
		"refused for good, scope account":         {refused, scopes(contract.Account), fail},
		"told to come back, then its own":         {func(s *pair) { answer(409, `{}`)(s.other); s.Answered(s.alien, "retry", 201, its) }, scopes(contract.Account), pass},
		"told to come back, then the first one's": {func(s *pair) { refused(s); s.Answered(s.alien, "retry", 201, mine) }, ietf, fail},
		"the control was refused as well":         {func(s *pair) { refused(s); answer(403, `{}`)(s.fresh) }, scopes(contract.Account), pass},
		"lost":                                    {func(s *pair) { refused(s); lost(s.other) }, scopes(contract.Account), pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, held := range []bool{true, false} {
				s := newPair(held)
				tc.change(s)
				f := ruletest.Expect(t, Rules(), "key/other-principal", tc.want, ruletest.IETF(t, tc.with), sequential(), s.History())
				if tc.want == pass && !strings.Contains(f.Detail, "while the two overlapped, in 1 trial") {
					t.Errorf("held %v: it does not say that they overlapped: %s", held, f.Detail)
				}
			}
		})
	}
	t.Run("the other one's result goes to the first", func(t *testing.T) {
		t.Parallel()
		s := newPair(false)
		taken(s)
		ruletest.Expect(t, Rules(), "key/other-principal", fail, ruletest.IETF(t), sequential(), s.History())
	})
	for name, spoil := range map[string]func(*pair){
		"it was not held":                      func(s *pair) { s.hold.Landed = false },
		"it came after the release":            func(s *pair) { s.other.Link.LastRequestAt = s.first.Ended },
		"it did not arrive whole":              func(s *pair) { s.other.Link.RequestWhole = false },
		"the first one was answered before":    func(s *pair) { s.first.Ended = 1 },
		"the burst was none":                   func(s *pair) { s.burst.Overlapped = 0 },
		"the other one of the burst was alone": func(s *pair) { s.burst.Attempts = s.burst.Attempts[:1] },
	} {
		t.Run("no overlap: "+name, func(t *testing.T) {
			t.Parallel()
			s := newPair(!strings.Contains(name, "burst"))
			given(s)
			spoil(s)
			f := ruletest.Expect(t, Rules(), "key/other-principal", pass, ruletest.IETF(t), sequential(), s.History())
			if !strings.Contains(f.Detail, "the two requests never overlapped") {
				t.Errorf("it does not say that they did not overlap: %s", f.Detail)
			}
		})
	}
}

func marker(c *contract.Contract) { c.Marker.Name = "Idempotent-Replayed" }

// final is what is seen at the end of the run, the control's included.
func (s *pair) final(theirs, ours int) {
	s.Saw(s.alien, history.Resource, history.AtTheEnd, theirs)
	s.Saw(s.in, history.Resource, history.AtTheEnd, ours)
}

// sequential is the trial in which the other principal's write came after the first one's, and was its own operation.
func sequential() *history.History {
	return ownWrite(201, 1)
}
