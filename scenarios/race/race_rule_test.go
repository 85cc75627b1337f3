package race

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	salvo "github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const created = `{"id":"t1"}`

// trial is one burst under one key. Answers are statuses; 0 is a lost one.
type trial struct {
	*historytest.Builder
	in       *history.Intent
	attempts []*history.Attempt
}

func together(scenario, label, name string, held bool, answers ...int) trial {
	t := trial{Builder: historytest.New(scenario).Trial(name)}
	t.in = t.Intent()
	if held {
		t.Fault("hold", t.in, "")
	}
	for i, status := range answers {
		switch {
		case status == 0:
			t.attempts = append(t.attempts, t.Silent(t.in, label))
		case status < 300:
			t.attempts = append(t.attempts, t.Answered(t.in, label, status, created))
		default:
			t.attempts = append(t.attempts, t.Answered(t.in, label, status, `{}`))
		}
		if label == "rival" && i%2 == 1 {
			t.attempts[i].Variant = "leaf/amount"
		}
	}
	if held {
		t.Fault("release", t.in, "")
	}
	t.Burst(label, t.attempts...)
	return t
}

func (t trial) retried(status int, body string) trial {
	t.Answered(t.in, "retry", status, body)
	return t
}

func (t trial) effects(n int, ids ...string) trial {
	t.Saw(t.in, history.Resource, "after", n, ids...)
	t.Saw(t.in, history.Resource, "final", n, ids...)
	return t
}

// apart takes the overlap away.
func (t trial) apart() trial {
	for _, e := range t.History().Events {
		if e.Burst != nil {
			e.Burst.Together, e.Burst.Overlapped = 1, 0
		}
	}
	return t
}

// cut keeps the requests from arriving whole.
func (t trial) cut() trial {
	for _, a := range t.attempts {
		a.Link.RequestWhole = false
	}
	return t
}

// forgotten is a burst that names no requests.
func (t trial) forgotten() trial {
	for _, e := range t.History().Events {
		if e.Burst != nil {
			e.Burst.Attempts = nil
		}
	}
	return t
}

func duplicates(held bool, answers ...int) trial {
	return together("race/one-effect", "duplicate", fmt.Sprint(len(answers)), held, answers...)
}

func TestOneEffect(t *testing.T) {
	t.Parallel()
	good := func() *history.History {
		return duplicates(true, 201, 409).retried(201, created).effects(1, "t1").History()
	}
	for name, c := range map[string]struct {
		hs    []*history.History
		want  verdict.Outcome
		proof verdict.Proof
	}{
		"held: the others are refused":          {[]*history.History{good()}, verdict.Pass, verdict.Strong},
		"held: the others wait":                 {[]*history.History{duplicates(true, 201, 201).retried(201, created).effects(1, "t1").History()}, verdict.Pass, verdict.Strong},
		"free":                                  {[]*history.History{duplicates(false, 201, 409).retried(201, created).effects(1, "t1").History()}, verdict.Pass, verdict.Weak},
		"one of the trials overlapped":          {[]*history.History{duplicates(false, 201, 409).retried(201, created).effects(1, "t1").apart().History(), good()}, verdict.Pass, verdict.Strong},
		"no overlap":                            {[]*history.History{duplicates(false, 201, 201).retried(201, created).effects(1, "t1").apart().History()}, verdict.Inconclusive, verdict.None},
		"two effects":                           {[]*history.History{good(), duplicates(true, 201, 201).retried(201, created).effects(2, "t1", "t2").History()}, verdict.Fail, verdict.Strong},
		"two effects, not together":             {[]*history.History{duplicates(false, 201, 201).retried(201, created).effects(2, "t1", "t2").apart().History()}, verdict.Fail, verdict.Weak},
		"twenty identical answers, two effects": {[]*history.History{duplicates(false, 201, 201, 201, 201).retried(201, created).effects(2, "t1", "t2").History()}, verdict.Fail, verdict.Weak},
		"acknowledged and gone":                 {[]*history.History{duplicates(true, 201, 409).retried(409, `{}`).effects(0).History()}, verdict.Fail, verdict.Strong},
		"nobody gets it":                        {[]*history.History{duplicates(true, 409, 409).retried(409, `{}`).effects(0).History()}, verdict.Fail, verdict.Strong},
		"the result does not replay later":      {[]*history.History{duplicates(true, 201, 409).retried(409, `{}`).effects(1, "t1").History()}, verdict.Pass, verdict.Strong},
		"the state could not be read":           {[]*history.History{duplicates(true, 201, 409).retried(201, created).History()}, verdict.Inconclusive, verdict.None},
		"the loser gets a 500, with one effect": {[]*history.History{duplicates(true, 201, 500).retried(201, created).effects(1, "t1").History()}, verdict.Pass, verdict.Strong},
		"together, but not at the target":       {[]*history.History{duplicates(false, 201, 201).retried(201, created).effects(1, "t1").cut().History()}, verdict.Inconclusive, verdict.None},
		"a burst of nothing":                    {[]*history.History{duplicates(false, 201, 201).retried(201, created).effects(1, "t1").forgotten().History()}, verdict.Inconclusive, verdict.None},
		"no burst":                              {[]*history.History{historytest.New("race/one-effect").History()}, verdict.Inconclusive, verdict.None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := ruletest.Expect(t, Rules(), "race/one-effect", c.want, ruletest.IETF(t), c.hs...)
			if f.Proof != c.proof {
				t.Errorf("proof: expected %s, found %s: %s", c.proof, f.Proof, f.Detail)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	action := func(a string) func(*contract.Contract) { return func(c *contract.Contract) { c.InFlight.Action = a } }
	for name, c := range map[string]struct {
		trials []trial
		change func(*contract.Contract)
		want   verdict.Outcome
	}{
		"result and in flight":            {trials: []trial{duplicates(true, 201, 409, 409)}, want: verdict.Pass},
		"all wait":                        {trials: []trial{duplicates(true, 201, 201, 200)}, want: verdict.Pass},
		"the loser gets a 500":            {trials: []trial{duplicates(true, 201, 500)}, want: verdict.Fail},
		"the loser gets a 503":            {trials: []trial{duplicates(true, 201, 503)}, want: verdict.Fail},
		"the loser is called a mismatch":  {trials: []trial{duplicates(true, 201, 422)}, want: verdict.Fail},
		"the loser is refused otherwise":  {trials: []trial{duplicates(true, 201, 400)}, want: verdict.Fail},
		"too many requests":               {trials: []trial{duplicates(true, 201, 429)}, want: verdict.Pass},
		"told to come back, must wait":    {trials: []trial{duplicates(true, 201, 409)}, change: action(contract.ActionWait), want: verdict.Fail},
		"any refusal, where unspecified":  {trials: []trial{duplicates(true, 201, 423)}, change: func(c *contract.Contract) { c.InFlight = contract.InFlight{} }, want: verdict.Pass},
		"one connection broke, once":      {trials: []trial{duplicates(true, 201, 0), duplicates(true, 201, 409), duplicates(true, 201, 409)}, want: verdict.Inconclusive},
		"a connection breaks every time":  {trials: []trial{duplicates(true, 201, 0), duplicates(true, 201, 0), duplicates(true, 201, 409)}, want: verdict.Fail},
		"well answered, but not together": {trials: []trial{duplicates(false, 201, 409).apart()}, want: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con := ruletest.IETF(t)
			if c.change != nil {
				c.change(&con)
			}
			var hs []*history.History
			for _, h := range c.trials {
				hs = append(hs, h.History())
			}
			ruletest.Expect(t, Rules(), "race/answers", c.want, con, hs...)
		})
	}
}

func TestChangedPayload(t *testing.T) {
	t.Parallel()
	rivals := func(answers ...int) trial { return together("race/changed-payload", "rival", "2", true, answers...) }
	changed := func(h trial, status int) trial {
		a := h.Answered(h.in, "retry", status, `{}`)
		a.Variant = "leaf/amount"
		return h
	}
	action := func(a string) func(*contract.Contract) {
		return func(c *contract.Contract) { c.Mismatch = contract.Response{Action: a} }
	}
	for name, c := range map[string]struct {
		h      trial
		change func(*contract.Contract)
		want   verdict.Outcome
	}{
		"the own payload wins":             {h: changed(rivals(201, 422).retried(201, created).effects(1, "t1"), 422), want: verdict.Pass},
		"the changed payload wins":         {h: changed(rivals(422, 201).retried(422, `{}`).effects(1, "t1"), 201), want: verdict.Pass},
		"told to wait, then refused":       {h: changed(rivals(201, 409).retried(201, created).effects(1, "t1"), 422), want: verdict.Pass},
		"both are executed":                {h: changed(rivals(201, 201).retried(201, created).effects(2, "t1", "t2"), 201), want: verdict.Fail},
		"both executed, where declared":    {h: changed(rivals(201, 201).retried(201, created).effects(2, "t1", "t2"), 201), change: action(contract.ActionExecute), want: verdict.Fail},
		"one is answered with the other's": {h: changed(rivals(201, 201).retried(201, created).effects(1, "t1"), 201), want: verdict.Fail},
		"the other's result, declared":     {h: changed(rivals(201, 201).retried(201, created).effects(1, "t1"), 201), change: action(contract.ActionReplay), want: verdict.Pass},
		"the other's result, unspecified":  {h: changed(rivals(201, 201).retried(201, created).effects(1, "t1"), 201), change: action(""), want: verdict.Pass},
		"the loser gets a 500":             {h: changed(rivals(201, 500).retried(201, created).effects(1, "t1"), 422), want: verdict.Fail},
		"neither is carried out":           {h: changed(rivals(422, 422).retried(422, `{}`).effects(0), 422), want: verdict.Fail},
		"acknowledged and gone":            {h: changed(rivals(201, 422).retried(201, created).effects(0), 422), want: verdict.Fail},
		"not together":                     {h: changed(together("race/changed-payload", "rival", "2", false, 201, 422).retried(201, created).effects(1, "t1"), 422).apart(), want: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con := ruletest.IETF(t)
			if c.change != nil {
				c.change(&con)
			}
			ruletest.Expect(t, Rules(), "race/changed-payload", c.want, con, c.h.History())
		})
	}
}

// TestChangedPayloadByValueOnly: the payload that won may move a value by another amount.
func TestChangedPayloadByValueOnly(t *testing.T) {
	t.Parallel()
	h := together("race/changed-payload", "rival", "2", true, 422, 201)
	h.Saw(h.in, history.Value, "after", 0).Odd = "-20"
	ruletest.Expect(t, Rules(), "race/changed-payload", verdict.NotAssessed, ruletest.IETF(t), h.History())
}

func TestDistinctKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		second func(b *historytest.Builder, in *history.Intent) *history.Attempt
		count  []int // effects of the second; nil: unseen
		want   verdict.Outcome
	}{
		"each has its effect": {func(b *historytest.Builder, in *history.Intent) *history.Attempt {
			return b.Answered(in, "stranger", 201, `{"id":"t2"}`)
		}, []int{1}, verdict.Pass},
		"taken for a duplicate": {func(b *historytest.Builder, in *history.Intent) *history.Attempt {
			return b.Answered(in, "stranger", 201, created)
		}, []int{0}, verdict.Fail},
		"executed twice": {func(b *historytest.Builder, in *history.Intent) *history.Attempt {
			return b.Answered(in, "stranger", 201, `{"id":"t2"}`)
		}, []int{2}, verdict.Fail},
		"refused": {func(b *historytest.Builder, in *history.Intent) *history.Attempt {
			return b.Answered(in, "stranger", 500, `{}`)
		}, []int{0}, verdict.Fail},
		"no probe tells them apart": {func(b *historytest.Builder, in *history.Intent) *history.Attempt {
			return b.Answered(in, "stranger", 201, `{"id":"t2"}`)
		}, nil, verdict.NotAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New("race/distinct-keys")
			one, two := b.Intent(), b.Intent()
			b.Burst("stranger", b.Answered(one, "stranger", 201, created), c.second(b, two))
			if c.count != nil {
				b.Saw(one, history.Resource, "final", 1, "t1")
				b.Saw(two, history.Resource, "final", c.count[0])
			}
			ruletest.Expect(t, Rules(), "race/distinct-keys", c.want, ruletest.IETF(t), b.History())
		})
	}
}

// TestDistinctKeysInTime: once the client's limit may pass for the machine's reasons, twice it is the target's.
func TestDistinctKeysInTime(t *testing.T) {
	t.Parallel()
	round := func(name string, late, whole bool) *history.History {
		b := historytest.New("race/distinct-keys").Trial(name)
		one, two := b.Intent(), b.Intent()
		b.Burst("stranger", b.Answered(one, "stranger", 201, created), b.Silent(two, "stranger"))
		second := b.History().Events[1].Attempt
		second.TimedOut, second.Link.RequestWhole = late, whole
		b.Answered(two, "retry", 201, `{"id":"t2"}`)
		b.Saw(one, history.Resource, "final", 1, "t1")
		b.Saw(two, history.Resource, "final", 1, "t2")
		return b.History()
	}
	for name, c := range map[string]struct {
		hs   []*history.History
		want verdict.Outcome
	}{
		"never":                  {[]*history.History{round("1", false, true), round("2", false, true)}, verdict.Pass},
		"once":                   {[]*history.History{round("1", false, true), round("2", true, true), round("2, again", false, true)}, verdict.Inconclusive},
		"again":                  {[]*history.History{round("1", false, true), round("2", true, true), round("2, again", true, true)}, verdict.Fail},
		"but they never arrived": {[]*history.History{round("1", true, false), round("2", true, false)}, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "race/distinct-keys", c.want, ruletest.IETF(t), c.hs...)
		})
	}
}

// TestRaceThatRanOneByOne: a burst whose requests took turns says so, and whatever the answers were nothing is concluded from it.
func TestRaceThatRanOneByOne(t *testing.T) {
	t.Parallel()
	var turn sync.Mutex
	shots := make([]salvo.Shot, 8)
	for i := range shots {
		shots[i].Send = func(_ context.Context, f *salvo.Flight) {
			turn.Lock()
			defer turn.Unlock()
			f.Written = time.Now()
			for f.Answered = f.Written.Add(time.Nanosecond); !time.Now().After(f.Answered); { // the next one comes later, whatever the clock's resolution
			}
		}
	}
	flights := salvo.Fire(t.Context(), salvo.Barrier(), shots).Flights
	h := duplicates(false, 201, 201, 201, 201, 201, 201, 201, 201).retried(201, created).effects(1, "t1")
	for _, e := range h.History().Events {
		if e.Burst != nil {
			e.Burst.Together, e.Burst.Overlapped = salvo.Overlap(flights), salvo.Overlapped(flights)
		}
	}
	for _, id := range []string{"race/one-effect", "race/answers"} {
		ruletest.Expect(t, Rules(), id, verdict.Inconclusive, ruletest.IETF(t), h.History())
	}
}
