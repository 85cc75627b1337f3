package crash

import (
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const created = `{"id":"t1"}`

// trial is a history of a target that was killed and came back.
type trial struct {
	*historytest.Builder
	in *history.Intent
}

// killed is one whose downstream call was held, and that stood in the phase when it died.
func killed(scenario, phase string) trial {
	t := trial{Builder: historytest.New(scenario)}
	t.in = t.Intent()
	t.Fault("hold", t.in, "")
	t.Fault("kill", t.in, phase)
	t.Silent(t.in, "first")
	t.Fault("restart", &history.Intent{}, "")
	return t
}

func (t trial) retried(status int, body string) trial {
	t.Answered(t.in, "retry", status, body)
	return t
}

func (t trial) effects(n int, ids ...string) trial {
	t.Saw(t.in, history.Resource, "after", n, ids...)
	return t
}

func (t trial) reads(state string) trial {
	t.Status(t.in, "after", state)
	return t
}

func TestKilledWhileHeld(t *testing.T) {
	t.Parallel()
	const claim, effect = "crash/after-claim", "crash/after-effect"
	for name, c := range map[string]struct {
		h             trial
		claim, effect verdict.Outcome // "": the rule says nothing of it
	}{
		"after the claim, then done":           {killed(claim, history.AfterClaim).retried(201, created).effects(1, "t1"), verdict.Pass, verdict.NotAssessed},
		"after the claim, then done twice":     {killed(claim, history.AfterClaim).retried(201, created).effects(2, "t1", "t2"), verdict.Fail, verdict.NotAssessed},
		"after the claim, stuck":               {killed(claim, history.AfterClaim).retried(409, `{}`).effects(0), verdict.Pass, verdict.NotAssessed},
		"after the claim, told done, not done": {killed(claim, history.AfterClaim).retried(201, created).effects(0), verdict.Fail, verdict.NotAssessed},
		"after the claim, unread":              {killed(claim, history.AfterClaim).retried(201, created), verdict.Inconclusive, verdict.NotAssessed},
		"aimed at the claim, effect there":     {killed(claim, history.AfterEffect).retried(201, created).effects(1, "t1"), verdict.NotAssessed, verdict.Pass},
		"aimed at the claim, effect repeated":  {killed(claim, history.AfterEffect).retried(201, created).effects(2, "t1", "t2"), verdict.NotAssessed, verdict.Fail},
		"after the effect, then done":          {killed(effect, history.AfterEffect).retried(201, created).effects(1, "t1"), "", verdict.Pass},
		"after the effect, then done again":    {killed(effect, history.AfterEffect).retried(201, `{"id":"t2"}`).effects(2, "t1", "t2"), "", verdict.Fail},
		"after the effect, stuck":              {killed(effect, history.AfterEffect).retried(409, `{}`).effects(1, "t1"), "", verdict.Pass},
		"nothing claimed, then done":           {killed(claim, history.BeforeClaim).retried(201, created).effects(1, "t1"), verdict.NotAssessed, verdict.NotAssessed},
		"nothing claimed, then done twice":     {killed(claim, history.BeforeClaim).retried(201, created).effects(2, "t1", "t2"), verdict.Fail, verdict.NotAssessed},
		"phase not seen":                       {killed(claim, history.PhaseUnknown).retried(201, created).effects(1, "t1"), verdict.Inconclusive, verdict.NotAssessed},
		"phase not seen, done twice":           {killed(claim, history.PhaseUnknown).retried(201, created).effects(2, "t1", "t2"), verdict.Fail, verdict.NotAssessed},
		"after the claim, never retried":       {killed(claim, history.AfterClaim).effects(0), verdict.Inconclusive, verdict.NotAssessed},
		"after the effect, never retried":      {killed(effect, history.AfterEffect).effects(1, "t1"), "", verdict.Inconclusive},
		"already recorded":                     {killed(effect, history.AfterRecord).retried(201, created).effects(1, "t1"), "", verdict.NotAssessed},
		"already recorded, then done again":    {killed(effect, history.AfterRecord).retried(201, created).effects(2, "t1", "t2"), "", verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.claim != "" {
				ruletest.Expect(t, Rules(), claim, c.claim, ruletest.IETF(t), c.h.History())
			}
			ruletest.Expect(t, Rules(), effect, c.effect, ruletest.IETF(t), c.h.History())
		})
	}
}

func TestNoProofOfDeath(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(h *history.History){
		"no kill": func(h *history.History) {
			for i := range h.Events {
				if f := h.Events[i].Fault; f != nil && f.Kind == "kill" {
					h.Events[i] = history.Event{Note: "no call to hold"}
				}
			}
		},
		"no exit seen": func(h *history.History) { h.Faults("kill")[0].Landed = false },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := killed("crash/after-claim", history.AfterClaim).retried(201, created).effects(1, "t1").History()
			spoil(h)
			ruletest.Expect(t, Rules(), "crash/after-claim", verdict.Inconclusive, ruletest.IETF(t), h)
			ruletest.Expect(t, Rules(), "crash/after-effect", "", ruletest.IETF(t), h)
			ruletest.Expect(t, Rules(), "crash/not-stuck", verdict.Inconclusive, ruletest.IETF(t), h)
		})
	}
}

func TestAfterRecord(t *testing.T) {
	t.Parallel()
	begin := func() (trial, *history.Attempt) {
		h := trial{Builder: historytest.New("crash/after-record")}
		h.in = h.Intent()
		first := h.Lost(h.in, "first")
		h.Fault("kill", h.in, history.AfterRecord)
		h.Fault("restart", &history.Intent{}, "")
		return h, first
	}
	for name, c := range map[string]struct {
		rest func(h trial, first *history.Attempt)
		want verdict.Outcome
	}{
		"replayed":                {func(h trial, _ *history.Attempt) { h.retried(201, created).effects(1, "t1") }, verdict.Pass},
		"answered, then recorded": {func(h trial, _ *history.Attempt) { h.retried(201, created).effects(2, "t1", "t2") }, verdict.Fail},
		"stuck":                   {func(h trial, _ *history.Attempt) { h.retried(409, `{}`).effects(1, "t1") }, verdict.Fail},
		"no byte of an answer": {func(h trial, first *history.Attempt) {
			first.Link.FirstByteAt, first.Link.ResponseBytes = 0, 0
			h.retried(201, created).effects(1, "t1")
		}, verdict.Inconclusive},
		"the answer got through": {func(h trial, first *history.Attempt) {
			first.Link.ForwardedBytes = 150
			h.retried(201, created).effects(1, "t1")
		}, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, first := begin()
			c.rest(h, first)
			ruletest.Expect(t, Rules(), "crash/after-record", c.want, ruletest.IETF(t), h.History())
		})
	}
}

func TestDurable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before int // status of the replay before the kill; 0: there was none
		rest   func(h trial)
		change func(*contract.Contract)
		want   verdict.Outcome
	}{
		"replayed with the status of replays": {before: 200, rest: func(h trial) { h.retried(200, created).effects(1, "t1") }, want: verdict.Pass},
		"refused before, replayed after":      {before: 409, rest: func(h trial) { h.retried(201, created).effects(1, "t1") }, want: verdict.Pass},
		"replayed otherwise than before":      {before: 201, rest: func(h trial) { h.retried(200, created).effects(1, "t1") }, want: verdict.Fail},
		"replayed":                            {rest: func(h trial) { h.retried(201, created).effects(1, "t1") }, want: verdict.Pass},
		"forgotten and done again":            {rest: func(h trial) { h.retried(201, `{"id":"t2"}`).effects(2, "t1", "t2") }, want: verdict.Fail},
		"all forgotten and done again":        {rest: func(h trial) { h.retried(201, `{"id":"t2"}`).effects(1, "t2") }, want: verdict.Fail},
		"replayed with another status":        {rest: func(h trial) { h.retried(200, created).effects(1, "t1") }, want: verdict.Fail},
		"replayed with another body":          {rest: func(h trial) { h.retried(201, `{"id":"t1","late":true}`).effects(1, "t1") }, want: verdict.Fail},
		"another body, only effects promised": {rest: func(h trial) { h.retried(200, `{"id":"t1","late":true}`).effects(1, "t1") }, change: func(c *contract.Contract) { c.Fidelity = contract.FidelityEffect }, want: verdict.Pass},
		"lost":                                {rest: func(h trial) { h.retried(201, created).effects(0) }, want: verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con := ruletest.IETF(t)
			if c.change != nil {
				c.change(&con)
			}
			h := trial{Builder: historytest.New("crash/durable")}
			h.in = h.Intent()
			h.Answered(h.in, "first", 201, created)
			if c.before > 0 {
				h.Answered(h.in, "before", c.before, created)
			}
			h.Saw(h.in, history.Resource, "completed", 1, "t1")
			h.Fault("kill", h.in, history.AfterRecord)
			h.Fault("restart", &history.Intent{}, "")
			c.rest(h)
			ruletest.Expect(t, Rules(), "crash/durable", c.want, con, h.History())
		})
	}
	t.Run("the first attempt failed", func(t *testing.T) {
		t.Parallel()
		h := trial{Builder: historytest.New("crash/durable")}
		h.in = h.Intent()
		h.Answered(h.in, "first", 500, `{}`)
		h.Fault("kill", h.in, history.AfterRecord)
		ruletest.Expect(t, Rules(), "crash/durable", verdict.Inconclusive, ruletest.IETF(t), h.retried(201, created).effects(1, "t1").History())
	})
}

func TestNotStuck(t *testing.T) {
	t.Parallel()
	begin := func() trial { return killed("crash/after-claim", history.AfterClaim) }
	allowed := func(c *contract.Contract) { c.Recovery.StuckAllowed = true }
	within := func(d time.Duration) func(*contract.Contract) {
		return func(c *contract.Contract) { c.Recovery.Within = d }
	}
	for name, c := range map[string]struct {
		h      trial
		change func(*contract.Contract)
		want   verdict.Outcome
	}{
		"resolved":                            {h: begin().retried(201, created).effects(1, "t1"), want: verdict.Pass},
		"resolved as refused":                 {h: begin().retried(410, `{}`).effects(0), want: verdict.Pass},
		"in flight for ever":                  {h: begin().retried(409, `{}`).effects(0), want: verdict.Fail},
		"in flight, but reads unknown":        {h: begin().retried(409, `{}`).effects(0).reads(history.UnknownDone), want: verdict.Pass},
		"in flight, and reads in progress":    {h: begin().retried(409, `{}`).effects(0).reads(history.InProgress), want: verdict.Fail},
		"in flight, which is declared":        {h: begin().retried(409, `{}`).effects(0), change: allowed, want: verdict.Pass},
		"answered 500 for ever":               {h: begin().retried(500, `{}`).effects(0), want: verdict.Fail},
		"answered 500, and reads failed":      {h: begin().retried(500, `{}`).effects(0).reads(history.Failed), want: verdict.Pass},
		"answered 500, and failures are kept": {h: begin().retried(500, `{}`).effects(0), change: func(c *contract.Contract) { c.Stored.ServerErrors = "yes" }, want: verdict.Pass},
		"resolved in time":                    {h: begin().retried(409, `{}`).retried(201, created).effects(1, "t1"), change: within(time.Second), want: verdict.Pass},
		"still in flight after the time":      {h: begin().retried(409, `{}`).retried(409, `{}`).retried(201, created).effects(1, "t1"), change: within(time.Millisecond), want: verdict.Fail},
		"late, but found resolved when asked": {h: begin().retried(201, created).effects(1, "t1"), change: within(time.Microsecond), want: verdict.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con := ruletest.IETF(t)
			if c.change != nil {
				c.change(&con)
			}
			ruletest.Expect(t, Rules(), "crash/not-stuck", c.want, con, c.h.History())
		})
	}
	t.Run("no retry reached it", func(t *testing.T) {
		t.Parallel()
		ruletest.Expect(t, Rules(), "crash/not-stuck", verdict.Inconclusive, ruletest.IETF(t), begin().effects(0).History())
	})
}
