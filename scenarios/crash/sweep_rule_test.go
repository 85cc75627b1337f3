package crash

import (
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// swept is one kill of a sweep, which hit the attempt 2 ms after its request was there.
func swept(name, phase string) (trial, *history.Attempt) {
	t := trial{Builder: historytest.New("crash/sweep").Trial(name)}
	t.in = t.Intent()
	first := t.Silent(t.in, "first")
	kill := t.Fault("kill", t.in, phase)
	kill.Given = first.Link.LastRequestAt + 2000
	return t, first
}

// back is the target up again, and the retry's answer.
func (t trial) back(status int, body string) trial {
	t.Fault("restart", &history.Intent{}, "")
	return t.retried(status, body)
}

func throughProxy(_ trial, first *history.Attempt) {
	first.Link.Through, first.Link.Reached, first.Link.RequestWhole = "the Toxiproxy at 127.0.0.1:8474", false, false
}

func TestSweep(t *testing.T) {
	t.Parallel()
	const twice = `{"id":"t2"}`
	for name, c := range map[string]struct {
		trial, phase string
		spoil        func(h trial, first *history.Attempt)
		rest         func(h trial)
		part         string
		want         verdict.Outcome
		resolves     verdict.Outcome
	}{
		"in flight, done once": {trial: "spread=1", part: "in-flight", want: verdict.Pass, resolves: verdict.Pass,
			rest: func(h trial) { h.back(201, created).effects(1, "t1") }},
		"in flight, done twice": {trial: "spread=1", part: "in-flight", want: verdict.Fail, resolves: verdict.Pass,
			rest: func(h trial) { h.back(201, twice).effects(2, "t1", "t2") }},
		"in flight, acknowledged and lost": {trial: "spread=1", part: "in-flight", want: verdict.Fail, resolves: verdict.Pass,
			rest: func(h trial) { h.back(201, created).effects(0) }},
		"in flight, stuck but safe": {trial: "spread=1", part: "in-flight", want: verdict.Pass, resolves: verdict.Fail,
			rest: func(h trial) { h.back(409, `{}`).effects(1, "t1") }},
		"in flight, stuck, and reads unknown": {trial: "spread=1", part: "in-flight", want: verdict.Pass, resolves: verdict.Pass,
			rest: func(h trial) { h.back(409, `{}`).effects(1, "t1").reads(history.UnknownDone) }},
		"in flight, not read": {trial: "spread=1", part: "in-flight", want: verdict.Inconclusive, resolves: verdict.Pass,
			rest: func(h trial) { h.back(201, created) }},
		"in flight, never retried": {trial: "spread=1", part: "in-flight", want: verdict.Inconclusive,
			rest: func(h trial) { h.effects(1, "t1") }},
		"booked when it died": {trial: "spread=1", part: "after-effect", want: verdict.Pass, resolves: verdict.Pass,
			rest: func(h trial) {
				h.Saw(h.in, history.Ledger, "killed", 1)
				h.back(201, created).effects(1, "t1")
			}},
		"effect seen, done twice": {trial: "after-effect=1", phase: history.AfterEffect, part: "after-effect", want: verdict.Fail, resolves: verdict.Pass,
			rest: func(h trial) { h.back(201, twice).effects(2, "t1", "t2") }},
		"claim seen, done once": {trial: "after-claim=1", phase: history.AfterClaim, part: "after-claim", want: verdict.Pass, resolves: verdict.Pass,
			rest: func(h trial) { h.back(201, created).effects(1, "t1") }},
		"answer begun, and lost": {trial: "spread=1", part: "after-record", want: verdict.Fail, resolves: verdict.Pass,
			spoil: func(_ trial, first *history.Attempt) { first.Link.FirstByteAt = first.Link.LastRequestAt + 2001 },
			rest:  func(h trial) { h.back(201, twice).effects(2, "t1", "t2") }},
		"at a round trip": {trial: "round-trip=3", part: "round-trip", want: verdict.Fail, resolves: verdict.Pass,
			spoil: func(h trial, _ *history.Attempt) { h.Fault("store-hold", h.in, "") },
			rest:  func(h trial) { h.back(201, twice).effects(2, "t1", "t2") }},
		"at a round trip that was not held": {trial: "round-trip=3", part: "in-flight", want: verdict.Pass, resolves: verdict.Pass,
			rest: func(h trial) { h.back(201, created).effects(1, "t1") }},
		// Nothing proves that these were hit.
		"the request had not arrived": {trial: "spread=1", part: "in-flight", want: verdict.Inconclusive,
			spoil: func(h trial, first *history.Attempt) { first.Link.RequestWhole = false },
			rest:  func(h trial) { h.back(201, created).effects(1, "t1") }},
		"the request came later": {trial: "spread=1", part: "in-flight", want: verdict.Inconclusive,
			spoil: func(h trial, first *history.Attempt) { first.Link.LastRequestAt += 3000 },
			rest:  func(h trial) { h.back(201, created).effects(1, "t1") }},
		"it had been answered": {trial: "spread=1", part: "in-flight", want: verdict.Inconclusive,
			spoil: func(h trial, first *history.Attempt) {
				first.Outcome, first.Ended = history.Answered, first.Link.LastRequestAt+1000
				first.Link.FirstByteAt = first.Ended
				first.Answer = &history.Answer{Status: 201, Body: historytest.Body(created)}
			},
			rest: func(h trial) { h.back(201, created).effects(1, "t1") }},
		"it had been answered, and is lost": {trial: "spread=1", part: "in-flight", want: verdict.Fail,
			spoil: func(h trial, first *history.Attempt) {
				first.Outcome, first.Ended = history.Answered, first.Link.LastRequestAt+1000
				first.Link.FirstByteAt = first.Ended
				first.Answer = &history.Answer{Status: 201, Body: historytest.Body(created)}
			},
			rest: func(h trial) { h.back(201, created).effects(0) }},
		// What went through somebody else's proxy is known to have arrived by what the target kept of it.
		"through a proxy, and its claim was kept": {trial: "spread=1", part: "in-flight", want: verdict.Pass, resolves: verdict.Pass,
			spoil: throughProxy, rest: func(h trial) {
				h.Status(h.in, restarted, history.InProgress)
				h.back(201, created).effects(1, "t1")
			}},
		"through a proxy, and its effect was kept": {trial: "spread=1", part: "in-flight", want: verdict.Fail, resolves: verdict.Pass,
			spoil: throughProxy, rest: func(h trial) {
				h.Saw(h.in, history.Resource, restarted, 1, "t1")
				h.back(201, twice).effects(2, "t1", "t2")
			}},
		"through a proxy, and it had called downstream": {trial: "spread=1", part: "in-flight", want: verdict.Pass, resolves: verdict.Pass,
			spoil: throughProxy, rest: func(h trial) {
				h.Saw(h.in, history.Ledger, whenDead, 0).Calls = []history.Call{{Seq: 1}}
				h.back(201, created).effects(1, "t1")
			}},
		"through a proxy, and nothing was kept": {trial: "spread=1", part: "in-flight", want: verdict.NotAssessed,
			spoil: throughProxy, rest: func(h trial) {
				h.Saw(h.in, history.Resource, restarted, 0)
				h.Status(h.in, restarted, history.Absent)
				h.back(201, created).effects(1, "t1")
			}},
		"through a proxy, nothing was kept, done twice": {trial: "spread=1", part: "in-flight", want: verdict.Fail,
			spoil: throughProxy, rest: func(h trial) { h.back(201, twice).effects(2, "t1", "t2") }},
		"nobody saw it die": {trial: "spread=1", part: "in-flight", want: verdict.Inconclusive,
			spoil: func(h trial, _ *history.Attempt) { h.History().Faults("kill")[0].Landed = false },
			rest:  func(h trial) { h.back(201, created).effects(1, "t1") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, first := swept(c.trial, c.phase)
			if c.spoil != nil {
				c.spoil(h, first)
			}
			c.rest(h)
			ruletest.ExpectPart(t, Rules(), "crash/sweep", c.part, c.want, ruletest.IETF(t), h.History())
			ruletest.ExpectPart(t, Rules(), "crash/sweep", "resolves", c.resolves, ruletest.IETF(t), h.History())
		})
	}
}

// One kill hits several attempts, each in a phase of its own; a part that no kill hit says so.
func TestSweepSumsUp(t *testing.T) {
	t.Parallel()
	h, _ := swept("spread=1", "")
	other := h.Intent()
	late := h.Silent(other, "first")
	late.Link.LastRequestAt, late.Link.FirstByteAt = 1000, 2500
	h.back(201, created).effects(1, "t1")
	h.Answered(other, "retry", 201, `{"id":"t2"}`)
	h.Saw(other, history.Resource, "after", 1, "t2")
	missed, first := swept("after-effect=1", "")
	first.Link.RequestWhole = false
	missed.back(201, created).effects(1, "t1")
	all := []*history.History{h.History(), missed.History()}
	f := ruletest.ExpectPart(t, Rules(), "crash/sweep", "in-flight", verdict.Pass, ruletest.IETF(t), all...)
	if want := "1 kill landed, with 1 request at work (not spread over it: a higher limits.kills hits more of its moments): at most one effect each"; f.Detail != want {
		t.Errorf("detail %q, want %q", f.Detail, want)
	}
	ruletest.ExpectPart(t, Rules(), "crash/sweep", "after-record", verdict.Pass, ruletest.IETF(t), all...)
	ruletest.ExpectPart(t, Rules(), "crash/sweep", "after-effect", verdict.NotAssessed, ruletest.IETF(t), all...)
	ruletest.ExpectPart(t, Rules(), "crash/sweep", "round-trip", "", ruletest.IETF(t), all...)
}

// What stood still while it was let work in steps was at work for the rest of the time only, and from when it was first let go.
func TestSweepInSteps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		moved int64
		woken bool
		part  string
		says  string
	}{
		"in steps":     {moved: 700, woken: true, part: "after-effect", says: "1 killed 0.8 ms after the request: at most one effect each"},
		"in one go":    {woken: true, part: "after-effect", says: "1 killed 1.5 ms after the request: at most one effect each"},
		"never let go": {part: "in-flight", says: "no kill was seen to hit an attempt: 1 attempts had been answered, or had not reached the target, when it died"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, first := swept("spread=1", "")
			h.Fault("pause", &history.Intent{}, "")
			if c.woken {
				h.Fault("resume", &history.Intent{}, "").Given = first.Link.LastRequestAt + 500
			}
			h.Fault("steps", &history.Intent{}, "").Moved = c.moved
			h.Saw(h.in, history.Ledger, whenDead, 1)
			h.back(201, created).effects(1, "t1")
			want := verdict.Pass
			if !c.woken {
				want = verdict.Inconclusive
			}
			if f := ruletest.ExpectPart(t, Rules(), "crash/sweep", c.part, want, ruletest.IETF(t), h.History()); f.Detail != c.says {
				t.Errorf("detail %q, want %q", f.Detail, c.says)
			}
		})
	}
}
