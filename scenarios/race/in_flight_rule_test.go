package race

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// met is a duplicate that arrives while the first is held: answered then, or made to wait.
func met(status int, waits bool, rest func(b *historytest.Builder, in *history.Intent, duplicate *history.Attempt)) *history.History {
	b := historytest.New("race/in-flight")
	in := b.Intent()
	b.Fault("hold", in, "")
	var duplicate *history.Attempt
	if !waits {
		duplicate = b.Answered(in, "duplicate", status, `{}`)
	}
	b.Fault("release", in, "")
	b.Answered(in, "first", 201, created)
	if waits {
		duplicate = b.Answered(in, "duplicate", status, created)
		duplicate.Began, duplicate.Link.LastRequestAt = 1100, 1200
	}
	rest(b, in, duplicate)
	return b.History()
}

func well(b *historytest.Builder, in *history.Intent, _ *history.Attempt) {
	b.Answered(in, "retry", 201, created)
	b.Saw(in, history.Resource, "final", 1, "t1")
}

func TestInFlight(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		h        *history.History
		action   string
		flight   verdict.Outcome // race/in-flight
		replay   verdict.Outcome // race/in-flight-then-replay
		comeBack verdict.Outcome // race/retry-after
	}{
		"refused":                      {met(409, false, well), "either", verdict.Pass, verdict.Pass, verdict.Fail},
		"refused with a time":          {met(409, false, later), "either", verdict.Pass, verdict.Pass, verdict.Pass},
		"waits":                        {met(201, true, well), "either", verdict.Pass, verdict.Pass, verdict.NotAssessed},
		"waits, must refuse":           {met(201, true, well), "refuse", verdict.Fail, verdict.Pass, verdict.NotAssessed},
		"refused, must wait":           {met(409, false, later), "wait", verdict.Fail, verdict.Pass, verdict.Pass},
		"answered 500":                 {met(500, false, well), "either", verdict.Fail, verdict.Pass, verdict.NotAssessed},
		"refused as another request":   {met(422, false, well), "either", verdict.Fail, verdict.Pass, verdict.NotAssessed},
		"executed beside the first":    {met(201, false, twice), "either", verdict.Fail, verdict.Fail, verdict.NotAssessed},
		"refused for ever":             {met(409, false, forEver), "either", verdict.Pass, verdict.Fail, verdict.Fail},
		"the effect was there already": {met(201, false, early), "either", verdict.NotAssessed, verdict.NotAssessed, verdict.NotAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con := ruletest.IETF(t, func(k *contract.Contract) { k.InFlight.Action = c.action })
			ruletest.Expect(t, Rules(), "race/in-flight", c.flight, con, c.h)
			ruletest.Expect(t, Rules(), "race/in-flight-then-replay", c.replay, con, c.h)
			ruletest.Expect(t, Rules(), "race/retry-after", c.comeBack, con, c.h)
		})
	}
}

func TestNothingToComeBackFor(t *testing.T) {
	t.Parallel()
	con := ruletest.IETF(t, func(k *contract.Contract) { k.Fidelity = contract.FidelityEffect })
	ruletest.Expect(t, Rules(), "race/retry-after", verdict.NotAssessed, con, met(409, false, forEver))
	ruletest.Expect(t, Rules(), "race/retry-after", verdict.Pass, con, met(409, false, later))
}

// TestTheContractHasAnotherSign: a declared code says that it is in flight; Retry-After is asked for where there is none.
func TestTheContractHasAnotherSign(t *testing.T) {
	t.Parallel()
	coded := func(retryAfter bool) contract.Contract {
		return ruletest.IETF(t, func(k *contract.Contract) {
			k.InFlight = contract.InFlight{Action: contract.ActionRefuse, Statuses: []int{409}, Code: "in_use", RetryAfter: retryAfter}
		})
	}
	withCode := func(b *historytest.Builder, in *history.Intent, duplicate *history.Attempt) {
		duplicate.Answer.Body = historytest.Body(`{"error":{"code":"in_use"}}`)
		well(b, in, duplicate)
	}
	ruletest.Expect(t, Rules(), "race/retry-after", verdict.NotAssessed, coded(false), met(409, false, withCode))
	ruletest.Expect(t, Rules(), "race/retry-after", verdict.Fail, coded(true), met(409, false, withCode))
}

func later(b *historytest.Builder, in *history.Intent, duplicate *history.Attempt) {
	duplicate.Answer.Header["Retry-After"] = []string{"1"}
	well(b, in, duplicate)
}

func twice(b *historytest.Builder, in *history.Intent, _ *history.Attempt) {
	b.Answered(in, "retry", 201, created)
	b.Saw(in, history.Resource, "final", 2, "t1", "t2")
}

func forEver(b *historytest.Builder, in *history.Intent, _ *history.Attempt) {
	b.Answered(in, "retry", 409, `{}`)
	b.Saw(in, history.Resource, "final", 1, "t1")
}

func early(b *historytest.Builder, in *history.Intent, d *history.Attempt) {
	b.Saw(in, history.Resource, "held", 1, "t1")
	well(b, in, d)
}

func TestNobodyToMeet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(b *historytest.Builder, in *history.Intent)
		want  verdict.Outcome
	}{
		"never held": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Answered(in, "duplicate", 201, created)
		}, verdict.Inconclusive},
		"answered before it was held": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 202, created)
			b.Fault("hold", in, "")
			b.Answered(in, "duplicate", 202, created)
			b.Fault("release", in, "")
		}, verdict.NotAssessed},
		"the duplicate did not arrive": {func(b *historytest.Builder, in *history.Intent) {
			b.Fault("hold", in, "")
			d := b.Silent(in, "duplicate")
			d.Link.RequestWhole = false
			b.Fault("release", in, "")
			b.Answered(in, "first", 201, created)
		}, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New("race/in-flight")
			in := b.Intent()
			c.spoil(b, in)
			well(b, in, nil)
			for _, id := range []string{"race/in-flight", "race/in-flight-then-replay", "race/retry-after"} {
				ruletest.Expect(t, Rules(), id, c.want, ruletest.IETF(t), b.History())
			}
		})
	}
}
