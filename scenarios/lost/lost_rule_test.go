package lost

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// trial is a history in the making, with its fault landed on the first attempt.
type trial struct {
	*historytest.Builder
	in    *history.Intent
	first *history.Attempt
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

// landed makes, by requirement, a history in which the fault is proven to have landed.
var landed = map[string]func() trial{
	"lost/response": func() trial { return dropped("lost/response") },
	"lost/reset":    func() trial { return dropped("lost/reset") },
	"lost/partial-response": func() trial {
		t := dropped("lost/partial-response")
		t.first.Link.ForwardedBytes = 80
		return t
	},
	"lost/gateway-error": func() trial {
		t := begin("lost/gateway-error")
		t.first = t.Answered(t.in, "first", 502, "<h1>502</h1>")
		t.first.Replaced, t.first.Link.Cut = true, true
		return t
	},
	"lost/slow-request": func() trial {
		t := begin("lost/slow-request")
		t.first = t.Answered(t.in, "first", 201, `{"id":"t1"}`)
		t.first.Link.LastRequestAt = t.first.Began + slowest
		return t
	},
	"lost/client-gone": func() trial {
		t := begin("lost/client-gone")
		t.first = t.Silent(t.in, "first")
		return t
	},
	"lost/slow-response": func() trial {
		t := begin("lost/slow-response")
		t.Trial(trialWork)
		t.Fault("hold", t.in, "")
		t.first = t.Silent(t.in, "first")
		t.Answered(t.in, "during", 409, `{}`)
		t.Fault("release", t.in, "")
		return t
	},
	"lost/partial-request": func() trial {
		t := begin("lost/partial-request")
		t.first = t.Silent(t.in, "first")
		t.first.Link.RequestWhole, t.first.Link.Cut = false, true
		t.Saw(t.in, history.Resource, "cut", 0)
		return t
	},
}

func begin(scenario string) trial {
	t := trial{Builder: historytest.New(scenario)}
	t.in = t.Intent()
	t.Saw(t.in, history.Resource, "before", 0)
	return t
}

func dropped(scenario string) trial {
	t := begin(scenario)
	t.first = t.Lost(t.in, "first")
	return t
}

func TestOneEffectAfterTheRetry(t *testing.T) {
	t.Parallel()
	const created = `{"id":"t1"}`
	effectOnly := func(c *contract.Contract) { c.Fidelity = contract.FidelityEffect }
	for name, c := range map[string]struct {
		rest   func(trial) trial
		change func(*contract.Contract)
		want   verdict.Outcome
	}{
		"replayed":                         {rest: func(h trial) trial { return h.retried(201, created).effects(1, "t1") }, want: verdict.Pass},
		"replayed with another success":    {rest: func(h trial) trial { return h.retried(200, created).effects(1, "t1") }, want: verdict.Pass},
		"replayed after some waiting":      {rest: func(h trial) trial { return h.retried(409, `{}`).retried(201, created).effects(1, "t1") }, want: verdict.Pass},
		"executed again":                   {rest: func(h trial) trial { return h.retried(201, `{"id":"t2"}`).effects(2, "t1", "t2") }, want: verdict.Fail},
		"executed again without an answer": {rest: func(h trial) trial { return h.retried(500, `{}`).effects(2, "t1", "t2") }, want: verdict.Fail},
		"a second effect that went away": {rest: func(h trial) trial {
			h.retried(201, created).Saw(h.in, history.Resource, "after", 2, "t1", "t2")
			h.Saw(h.in, history.Resource, "final", 1, "t1")
			return h
		}, want: verdict.Fail},
		"a second effect that came late": {rest: func(h trial) trial {
			h.retried(201, created).Saw(h.in, history.Resource, "after", 1, "t1")
			h.Saw(h.in, history.Resource, "final", 2, "t1", "t2")
			return h
		}, want: verdict.Fail},
		"an effect that shows late": {rest: func(h trial) trial {
			h.retried(201, created).Saw(h.in, history.Resource, "after", 0)
			h.Saw(h.in, history.Resource, "final", 1, "t1")
			return h
		}, want: verdict.Pass},
		"acknowledged and missing": {rest: func(h trial) trial { return h.retried(201, created).effects(0) }, want: verdict.Fail},
		"booked twice downstream": {rest: func(h trial) trial {
			h.retried(201, created).effects(1, "t1").Saw(h.in, history.Ledger, "final", 2)
			return h
		}, want: verdict.Fail},
		"moved a value by half": {rest: func(h trial) trial {
			h.retried(201, created).effects(1, "t1").Saw(h.in, history.Value, "final", 0).Odd = "-0.5"
			return h
		}, want: verdict.Fail},
		"in flight for ever":                {rest: func(h trial) trial { return h.retried(409, `{}`).effects(1, "t1") }, want: verdict.Fail},
		"answered 500 for ever":             {rest: func(h trial) trial { return h.retried(500, `{}`).effects(1, "t1") }, want: verdict.Fail},
		"refused for ever":                  {rest: func(h trial) trial { return h.retried(400, `{}`).effects(1, "t1") }, want: verdict.Fail},
		"refused, where only effects count": {rest: func(h trial) trial { return h.retried(400, `{}`).effects(1, "t1") }, change: effectOnly, want: verdict.Pass},
		"refused and undone, only effects":  {rest: func(h trial) trial { return h.retried(400, `{}`).effects(0) }, change: effectOnly, want: verdict.Fail},
		"nothing could be read in the end": {rest: func(h trial) trial {
			h.retried(201, created).Saw(h.in, history.Resource, "final", 0).Error = "timeout"
			return h
		}, want: verdict.Inconclusive},
		"nothing was read at all": {rest: func(h trial) trial { return h.retried(201, created) }, want: verdict.Inconclusive},
		"the retry did not reach the target": {rest: func(h trial) trial {
			a := h.Silent(h.in, "retry")
			a.Outcome, a.Link = history.Unsent, history.Link{}
			return h.effects(1, "t1")
		}, want: verdict.Inconclusive},
		"successes that name different things": {rest: func(h trial) trial { return h.retried(201, created).retried(201, `{"id":"t9"}`).effects(1, "t1") }, want: verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for id, begin := range landed {
				con := ruletest.IETF(t)
				if c.change != nil {
					c.change(&con)
				}
				ruletest.Expect(t, Rules(), id, c.want, con, c.rest(begin()).History())
			}
		})
	}
}

// TestNoProofNoPass: whatever is missing of the proof, all else being well.
func TestNoProofNoPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*history.Attempt)
		on    []string
	}{
		"the target was not reached":           {func(a *history.Attempt) { a.Link.Reached = false }, all()},
		"the request was not whole":            {func(a *history.Attempt) { a.Link.RequestWhole = false }, all("lost/partial-request")},
		"the target began no answer":           {func(a *history.Attempt) { a.Link.ResponseBytes = 0 }, []string{"lost/response", "lost/reset", "lost/partial-response", "lost/gateway-error"}},
		"the answer came through":              {func(a *history.Attempt) { a.Link.ForwardedBytes, a.Outcome = 150, history.Answered }, []string{"lost/response", "lost/reset", "lost/partial-response"}},
		"a part of the answer came through":    {func(a *history.Attempt) { a.Link.ForwardedBytes = 1 }, []string{"lost/response", "lost/reset"}},
		"nothing of the answer came through":   {func(a *history.Attempt) { a.Link.ForwardedBytes = 0 }, []string{"lost/partial-response"}},
		"the answer was not cut":               {func(a *history.Attempt) { a.Link.Cut = false }, []string{"lost/partial-response"}},
		"the target's own answer came through": {func(a *history.Attempt) { a.Replaced = false }, []string{"lost/gateway-error"}},
		"the request came at once":             {func(a *history.Attempt) { a.Link.LastRequestAt = a.Began + 100 }, []string{"lost/slow-request"}},
		"the client was answered":              {func(a *history.Attempt) { a.Outcome = history.Answered }, []string{"lost/client-gone"}},
		"the request went through whole":       {func(a *history.Attempt) { a.Link.RequestWhole = true }, []string{"lost/partial-request"}},
		"nothing of the request went through":  {func(a *history.Attempt) { a.Link.RequestBytes = 0 }, []string{"lost/partial-request"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, id := range c.on {
				h := landed[id]()
				c.spoil(h.first)
				ruletest.Expect(t, Rules(), id, verdict.Inconclusive, ruletest.IETF(t), h.retried(201, `{"id":"t1"}`).effects(1, "t1").History())
			}
		})
	}
}

func all(but ...string) (ids []string) {
	for id := range landed {
		skip := false
		for _, b := range but {
			skip = skip || b == id
		}
		if !skip {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestASecondEffectNeedsNoProof: it is one however it came about.
func TestASecondEffectNeedsNoProof(t *testing.T) {
	t.Parallel()
	h := landed["lost/response"]()
	h.first.Link.ResponseBytes = 0
	f := ruletest.Expect(t, Rules(), "lost/response", verdict.Fail, ruletest.IETF(t), h.retried(201, `{}`).effects(2).History())
	if f.Proof != verdict.Weak {
		t.Errorf("proof: expected weak, found %s", f.Proof)
	}
}

func TestSlowResponse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rest func(b *historytest.Builder, in *history.Intent)
		want verdict.Outcome
	}{
		"the retry waits for the first": {func(b *historytest.Builder, in *history.Intent) {
			b.Fault("hold", in, "")
			b.Silent(in, "first")
			b.Fault("release", in, "")
			late := b.Answered(in, "during", 201, `{"id":"t1"}`)
			late.Began -= 2000
			late.Link.LastRequestAt -= 2000
		}, verdict.Pass},
		"the retry came when all was over": {func(b *historytest.Builder, in *history.Intent) {
			b.Fault("hold", in, "")
			b.Silent(in, "first")
			b.Fault("release", in, "")
			b.Answered(in, "during", 201, `{"id":"t1"}`)
		}, verdict.Inconclusive},
		"the work was never held": {func(b *historytest.Builder, in *history.Intent) {
			b.Silent(in, "first")
			b.Answered(in, "during", 201, `{"id":"t1"}`)
		}, verdict.Inconclusive},
		"the target answers before its downstream call": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 202, `{"id":"t1"}`)
			b.Fault("hold", in, "")
			b.Answered(in, "during", 202, `{"id":"t1"}`)
			b.Fault("release", in, "")
		}, verdict.NotAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New("lost/slow-response").Trial(trialWork)
			in := b.Intent()
			c.rest(b, in)
			b.Answered(in, "retry", 201, `{"id":"t1"}`)
			b.Saw(in, history.Resource, "final", 1, "t1")
			ruletest.Expect(t, Rules(), "lost/slow-response", c.want, ruletest.IETF(t), b.History())
		})
	}
}

func TestClientGoneStoredAsFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stored  string
		effects int
		want    verdict.Outcome
	}{
		"declared, nothing done":    {"yes", 0, verdict.Pass},
		"declared, but it was done": {"yes", 1, verdict.Fail},
		"not declared: a dead key":  {"", 0, verdict.Fail},
		"declared not to be stored": {"no", 0, verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con := ruletest.IETF(t, func(con *contract.Contract) { con.Stored.ServerErrors = c.stored })
			ruletest.Expect(t, Rules(), "lost/client-gone", c.want, con, landed["lost/client-gone"]().retried(500, `{}`).effects(c.effects).History())
		})
	}
}

// TestClientGoneInTheMiddle: a client that meant to leave during the work and was answered before proves nothing, and
// is no reason to doubt either.
func TestClientGoneInTheMiddle(t *testing.T) {
	t.Parallel()
	middle := func(answered bool, effects int) *history.History {
		h := landed["lost/client-gone"]()
		h.Trial(trialMiddle + ", after 30 % of the usual time")
		if answered {
			h.first.Outcome = history.Answered
		}
		return h.retried(201, `{"id":"t1"}`).effects(effects, "t1", "t2").History()
	}
	control := historytest.New("lost/client-gone")
	control.Answered(control.Intent(), "control", 201, `{}`)
	good := landed["lost/client-gone"]().retried(201, `{"id":"t1"}`).effects(1, "t1").History()
	for name, c := range map[string]struct {
		hs   []*history.History
		want verdict.Outcome
	}{
		"it left in time":                 {[]*history.History{control.History(), middle(false, 1)}, verdict.Pass},
		"it was answered before":          {[]*history.History{control.History(), middle(true, 1)}, verdict.NotAssessed},
		"it was answered before, twice":   {[]*history.History{good, middle(true, 2)}, verdict.Fail},
		"another left right after":        {[]*history.History{good, middle(true, 1)}, verdict.Pass},
		"another left and was done twice": {[]*history.History{good, middle(false, 2)}, verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "lost/client-gone", c.want, ruletest.IETF(t), c.hs...)
		})
	}
}

func TestPartialRequest(t *testing.T) {
	t.Parallel()
	con := ruletest.IETF(t)
	early := landed["lost/partial-request"]()
	early.Saw(early.in, history.Resource, "cut", 1, "t1")
	ruletest.Expect(t, Rules(), "lost/partial-request", verdict.Fail, con, early.retried(201, `{"id":"t1"}`).effects(1, "t1").History())

	alone := func(final func(trial)) *history.History {
		h := landed["lost/partial-request"]()
		h.first.Label = "alone"
		final(h)
		return h.History()
	}
	for name, c := range map[string]struct {
		final func(trial)
		want  verdict.Outcome
	}{
		"left alone, nothing comes of it": {func(h trial) { h.Saw(h.in, history.Resource, "final", 0) }, verdict.Pass},
		"left alone, it is done late":     {func(h trial) { h.Saw(h.in, history.Resource, "final", 1, "t1") }, verdict.Fail},
		"left alone, unread":              {func(h trial) { h.Saw(h.in, history.Resource, "final", 0).Error = "refused" }, verdict.Inconclusive},
		"left alone, not cut":             {func(h trial) { h.first.Link.Cut = false }, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "lost/partial-request", c.want, con, alone(c.final))
		})
	}
}
