package lost

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// stormy is a storm of one call a fault, each by a client and for an intent of its own, in which every fault landed, and of a kill
// and a pause in its middle.
type stormy struct {
	*historytest.Builder
	schedule *storm.Schedule
	ins      []*history.Intent
	faulted  map[storm.Kind]*history.Attempt
	blows    map[string]*history.Fault
	dead     *history.Attempt
	calm     []*history.Attempt
	seen     []*history.Observation
}

func newStorm() *stormy {
	s := &stormy{Builder: historytest.New("lost/storm"), schedule: &storm.Schedule{Schema: storm.Schema, Operation: historytest.Operation},
		faulted: map[storm.Kind]*history.Attempt{}, blows: map[string]*history.Fault{}}
	for i, kind := range storm.Faults {
		f := storm.Fault{Kind: kind}
		switch kind {
		case storm.Cut:
			f.Bytes = 80
		case storm.Gateway:
			f.Status = 502
		case storm.Delay:
			f.Attempts = 1
		}
		s.schedule.Calls = append(s.schedule.Calls, storm.Call{Client: i + 1, Intent: i + 1, Faults: []storm.Fault{f}})
		in := s.Intent()
		s.ins = append(s.ins, in)
		a := s.suffers(kind, in, i)
		a.Call = i + 1
		s.faulted[kind] = a
	}
	s.schedule.Blows = []storm.Blow{{Kind: storm.Pause, Attempt: 1}, {Kind: storm.Kill, Attempt: 2}}
	for _, kind := range []string{"pause", "resume", "kill", "restart"} {
		s.blows[kind] = s.Fault(kind, &history.Intent{}, "")
	}
	s.dead = s.Silent(s.ins[0], labelCall) // its target was killed
	s.dead.Call = 1
	s.dead.Began, s.dead.Ended = 0, 1_000_000
	for _, a := range s.faulted { // all of them were under way meanwhile
		a.Began, a.Ended = 0, 1_000_000
	}
	for i, in := range s.ins {
		a := s.Answered(in, labelCalm, 201, made(i))
		a.Began, a.Ended = 1_000_001, 1_000_002
		s.calm = append(s.calm, a)
		s.seen = append(s.seen, s.Saw(in, history.Resource, "after", 1, fmt.Sprintf("t%d", i)))
	}
	return s
}

func made(i int) string { return fmt.Sprintf(`{"id":"t%d"}`, i) }

func (s *stormy) suffers(kind storm.Kind, in *history.Intent, i int) *history.Attempt {
	switch kind {
	case storm.Cut:
		a := s.Lost(in, labelCall)
		a.Link.ForwardedBytes = 80
		return a
	case storm.Gateway:
		a := s.Answered(in, labelCall, 502, "<h1>502</h1>")
		a.Replaced, a.Link.Cut = true, true
		return a
	case storm.Delay:
		a := s.Answered(in, labelCall, 201, made(i))
		a.Link.Held = true
		return a
	}
	return s.Lost(in, labelCall)
}

func (s *stormy) history() *history.History {
	h := s.History()
	h.Storm = &history.Storm{Schedule: s.schedule}
	return h
}

func TestStorm(t *testing.T) {
	t.Parallel()
	kept := func(c *contract.Contract) { c.Recovery.StuckAllowed = true }
	effectOnly := func(c *contract.Contract) { c.Fidelity = contract.FidelityEffect }
	for name, c := range map[string]struct {
		edit   func(*stormy)
		change func(*contract.Contract)
		want   verdict.Outcome
		says   string
	}{
		"every intent once": {func(*stormy) {}, nil, verdict.Pass, "5 of 5 faults and 2 blows landed"},

		"a second effect": {func(s *stormy) { s.seen[0].Count, s.seen[0].IDs = 2, []string{"t0", "t8"} }, nil, verdict.Fail, "duplicated"},
		"a second effect that came late": {func(s *stormy) { s.Saw(s.ins[2], history.Resource, "final", 2, "t2", "t8") }, nil,
			verdict.Fail, "duplicated"},
		"a second effect, and no fault landed": {func(s *stormy) {
			s.seen[0].Count = 2
			for _, a := range s.faulted {
				a.Link = history.Link{}
			}
		}, nil, verdict.Fail, "duplicated"},
		"an acknowledged write is lost": {func(s *stormy) { s.seen[1].Count, s.seen[1].IDs = 0, nil }, nil, verdict.Fail, "lost an acknowledged write"},
		"the answer of another intent": {func(s *stormy) { s.calm[0].Answer.Body = historytest.Body(made(1)) }, nil,
			verdict.Fail, "no order of its attempts explains"},
		"the changed payload got the result": {func(s *stormy) { s.changed(201, made(0)) }, nil, verdict.Fail, "no order of its attempts explains"},
		"the changed payload was refused":    {func(s *stormy) { s.changed(422, `{}`) }, nil, verdict.Pass, ""},
		"in flight for ever": {func(s *stormy) { s.calm[0].Answer.Status = 409; s.calm[0].Answer.Header["Retry-After"] = []string{"1"} }, func(c *contract.Contract) { c.InFlight.Statuses = []int{409} },
			verdict.Fail, "stuck"},
		"in flight for ever after a kill, as declared": {func(s *stormy) { s.calm[0].Answer.Status = 409 },
			func(c *contract.Contract) { kept(c); c.InFlight.Statuses = []int{409} }, verdict.Pass, ""},
		"never the result":             {func(s *stormy) { s.calm[0].Answer.Status = 410 }, nil, verdict.Fail, "did not get its result"},
		"refused, where effects count": {func(s *stormy) { s.calm[0].Answer.Status = 410 }, effectOnly, verdict.Pass, ""},
		"the state could not be read":  {func(s *stormy) { s.seen[0].Error = "timeout" }, nil, verdict.Inconclusive, "could not be read"},
		"the last attempt did not reach it": {func(s *stormy) {
			s.calm[0].Outcome, s.calm[0].Answer, s.calm[0].Link = history.Unsent, nil, history.Link{}
		}, nil, verdict.Inconclusive, "did not reach"},

		"a second effect after the key's lifetime": {func(s *stormy) { s.seen[0].Count = 2 }, func(c *contract.Contract) { c.Lifetime = time.Second },
			verdict.Inconclusive, "lifetime"},

		"a key with too many attempts for the search":         {func(s *stormy) { s.hot(0) }, nil, verdict.Pass, "1 key with too many attempts for that"},
		"a second effect under such a key":                    {func(s *stormy) { s.hot(0); s.seen[0].Count = 2 }, nil, verdict.Fail, "duplicated"},
		"an acknowledged write under such a key is lost":      {func(s *stormy) { s.hot(0); s.seen[0].Count, s.seen[0].IDs = 0, nil }, nil, verdict.Fail, "lost an acknowledged write"},
		"two results under such a key":                        {func(s *stormy) { s.hot(0); s.calm[0].Answer.Body = historytest.Body(made(7)) }, nil, verdict.Fail, "contradict"},
		"the search takes too many steps":                     {func(s *stormy) { s.tangled(0) }, nil, verdict.Inconclusive, "steps"},
		"a second effect, where it would take too many steps": {func(s *stormy) { s.tangled(0); s.seen[0].Count = 2 }, nil, verdict.Fail, "duplicated"},

		"no drop landed": {func(s *stormy) { s.faulted[storm.Drop].Link.ResponseBytes = 0 }, nil, verdict.Inconclusive, `"drop"`},
		"a kill took the cut's attempt, the next one was cut": {func(s *stormy) { s.killed(storm.Cut); s.again(storm.Cut) }, nil,
			verdict.Pass, "5 of 5 faults"},
		"a kill took the cut's attempt, the next one was not cut": {func(s *stormy) { s.killed(storm.Cut); s.again(storm.Cut).Link.Cut = false }, nil,
			verdict.Inconclusive, `"cut"`},
		"a kill took the cut's attempt, the next one was answered": {func(s *stormy) {
			s.killed(storm.Cut)
			a := s.again(storm.Cut)
			a.Outcome, a.Answer, a.Link.Cut = history.Answered, s.calm[1].Answer, false
		}, nil, verdict.Inconclusive, `"cut"`},
		"a kill took the cut's attempt, and that was all": {func(s *stormy) { s.killed(storm.Cut) }, nil, verdict.Inconclusive, `"cut"`},
		"no cut landed":         {func(s *stormy) { s.faulted[storm.Cut].Link.Cut = false }, nil, verdict.Inconclusive, `"cut"`},
		"no reset landed":       {func(s *stormy) { s.faulted[storm.Reset].Link.ForwardedBytes = 10 }, nil, verdict.Inconclusive, `"reset"`},
		"no gateway spoke":      {func(s *stormy) { s.faulted[storm.Gateway].Link.ResponseBytes = 0 }, nil, verdict.Inconclusive, `"gateway"`},
		"no answer was held":    {func(s *stormy) { s.faulted[storm.Delay].Link.Held = false }, nil, verdict.Inconclusive, `"delay"`},
		"the kill missed":       {func(s *stormy) { s.blows["kill"].Landed = false }, nil, verdict.Inconclusive, "kill did not strike"},
		"the pause missed":      {func(s *stormy) { s.blows["pause"].Landed = false }, nil, verdict.Inconclusive, "pause did not strike"},
		"the kill never came":   {func(s *stormy) { s.blows["kill"].Kind = "stop" }, nil, verdict.Inconclusive, "kill did not strike"},
		"it never came back":    {func(s *stormy) { s.blows["restart"].Landed = false }, nil, verdict.Inconclusive, "no restart"},
		"the kill hit nothing":  {func(s *stormy) { s.dead.Link.Cut = true }, nil, verdict.Inconclusive, "kill struck a target that nobody had asked anything"},
		"the pause hit nothing": {func(s *stormy) { s.idle() }, nil, verdict.Inconclusive, "pause struck a target that nobody had asked anything"},
		"it ran one by one":     {func(s *stormy) { s.schedule.Blows = nil; s.idle() }, nil, verdict.Inconclusive, "at once"},
		"nothing was sent": {func(s *stormy) {
			for _, a := range s.faulted {
				a.Label = "other"
			}
			s.dead.Label = "other"
		}, nil, verdict.Inconclusive, "no attempt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStorm()
			c.edit(s)
			k := ruletest.IETF(t, func(k *contract.Contract) {
				k.Fidelity, k.Mismatch.Action, k.Mismatch.Statuses = contract.FidelityBody, contract.ActionRefuse, []int{422}
			})
			if c.change != nil {
				c.change(&k)
			}
			f := ruletest.Expect(t, Rules(), "lost/storm", c.want, k, s.history())
			if !strings.Contains(f.Detail, c.says) {
				t.Errorf("%q does not say %q", f.Detail, c.says)
			}
			if c.want == verdict.Fail && !strings.Contains(f.Detail, "oncespec replay") {
				t.Errorf("%q does not say how to see it again", f.Detail)
			}
		})
	}
}

// killed makes the attempt with the fault one that ended with the target.
func (s *stormy) killed(kind storm.Kind) {
	l := &s.faulted[kind].Link
	l.Cut, l.ResponseBytes, l.ForwardedBytes, l.FirstByteAt = false, 0, 0, 0
}

// again is the call's next attempt, with the same fault.
func (s *stormy) again(kind storm.Kind) *history.Attempt {
	before := s.faulted[kind]
	i := before.Call - 1
	a := s.suffers(kind, s.ins[i], i)
	a.Call, a.Began, a.Ended = before.Call, 0, 1_000_000
	s.Saw(s.ins[i], history.Resource, "after", 1, fmt.Sprintf("t%d", i))
	return a
}

// hot lets a hundred clients ask for one intent's result at once.
func (s *stormy) hot(i int) {
	for range 100 {
		a := s.Answered(s.ins[i], labelCall, 201, made(i))
		a.Began, a.Ended = 1_000_010, 1_000_020
	}
	s.seen[i] = s.Saw(s.ins[i], history.Resource, "after", 1, fmt.Sprintf("t%d", i))
}

// tangled gives an intent attempts at once, each of which may have been carried out, and a result that none of them explains: every
// order is tried. The effects alone are as they should be.
func (s *stormy) tangled(i int) {
	for n := range 40 {
		a := s.Answered(s.ins[i], labelChanged, 500, `{}`)
		a.Variant, a.Began, a.Ended = fmt.Sprint("leaf/", n), 0, 1_000_000
	}
	s.calm[i].Answer.Body = historytest.Body(made(i + 1))
	s.seen[i] = s.Saw(s.ins[i], history.Resource, "after", 1, fmt.Sprintf("t%d", i))
}

// changed sends another payload under the first intent's key, after its result.
func (s *stormy) changed(status int, body string) {
	a := s.Answered(s.ins[0], labelChanged, status, body)
	a.Variant, a.Began, a.Ended = "leaf/enum", 1_000_010, 1_000_020
	s.Saw(s.ins[0], history.Resource, "after", 1, "t0")
}

// idle lets all attempts come one after another, before anything strikes.
func (s *stormy) idle() {
	at := int64(1)
	for _, e := range s.History().Events {
		if e.Fault == s.blows["kill"] {
			s.dead.Began, s.dead.Ended = e.At, e.At
		}
	}
	for _, kind := range storm.Faults {
		s.faulted[kind].Began, s.faulted[kind].Ended = at, at+1
		at += 2
	}
}

func TestAStormThatNoProbeCanTellApart(t *testing.T) {
	t.Parallel()
	s := newStorm()
	h := s.history()
	var left []history.Event
	for _, e := range h.Events {
		if e.Observation == nil {
			left = append(left, e)
		}
	}
	h.Events = left
	ruletest.Expect(t, Rules(), "lost/storm", verdict.NotAssessed, ruletest.IETF(t), h)
}

// What failed several times says so, and where to find the schedule.
func TestAStormThatFailsSaysHowOften(t *testing.T) {
	t.Parallel()
	s := newStorm()
	s.seen[0].Count = 2
	h := s.history()
	h.Storm.Failed, h.Storm.Plays = 2, 3
	f := ruletest.Expect(t, Rules(), "lost/storm", verdict.Fail, ruletest.IETF(t), h)
	for _, w := range []string{"5 calls, failed 2 of 3 times", "storms/" + h.ID + "/schedule.json"} {
		if !strings.Contains(f.Detail, w) {
			t.Errorf("%q does not say %q", f.Detail, w)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	open := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return false
		default:
			return true
		}
	}
	o := newTurns(3)
	third, late := o.reached(3), o.after(2)
	o.began()
	if !open(third) || !open(late) {
		t.Error("called after one attempt")
	}
	o.began()
	if open(late) {
		t.Error("two more attempts began, and the client still waits")
	}
	o.wake()
	o.began()
	if open(third) {
		t.Error("three attempts began, and the blow still waits")
	}
	waits := o.after(10)
	o.leave()
	if !open(waits) {
		t.Error("one client is left that may begin an attempt")
	}
	o.rest()
	if open(waits) {
		t.Error("nobody is left who could begin an attempt, and the client waits for ever")
	}
	never := o.reached(99)
	o.leave()
	if !open(never) {
		t.Error("a blow does not come before its attempt")
	}
}
