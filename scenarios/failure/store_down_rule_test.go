package failure

import (
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestStoreDown(t *testing.T) {
	t.Parallel()
	type story struct {
		*historytest.Builder
		in *history.Intent
	}
	refused := func(s story) { s.Answered(s.in, "first", 503, `{}`) }
	once := func(s story) {
		s.Answered(s.in, "retry", 201, created)
		s.Saw(s.in, history.Resource, "after", 1, "t1")
	}
	for name, c := range map[string]struct {
		first, down, after func(s story)
		notLanded          bool
		want               verdict.Outcome
	}{
		"refused, then done once":      {first: refused, after: once, want: verdict.Pass},
		"not answered, then done once": {first: func(s story) { s.Silent(s.in, "first") }, after: once, want: verdict.Pass},
		"answered with a success":      {first: func(s story) { s.Answered(s.in, "first", 201, created) }, after: once, want: verdict.Fail},
		"booked meanwhile": {first: refused, down: func(s story) {
			s.Saw(s.in, history.Ledger, "down", 1).Calls = []history.Call{{Seq: 1, At: 1, Booked: true, Status: 201}}
		}, after: once, want: verdict.Fail},
		"booked when it was back": {first: refused, after: func(s story) {
			once(s)
			s.Saw(s.in, history.Ledger, "after", 1).Calls = []history.Call{{Seq: 1, At: 1 << 40, Booked: true, Status: 201}}
		}, want: verdict.Pass},
		"its effect showed meanwhile":       {first: refused, down: func(s story) { s.Saw(s.in, history.Resource, "down", 1, "t1") }, after: once, want: verdict.Fail},
		"refused, then done twice":          {first: refused, after: func(s story) { once(s); s.Saw(s.in, history.Resource, "after", 2, "t1", "t2") }, want: verdict.Fail},
		"does not recover":                  {first: refused, after: func(s story) { s.Answered(s.in, "retry", 503, `{}`); s.Saw(s.in, history.Resource, "after", 0) }, want: verdict.Fail},
		"it did not miss its database":      {first: refused, after: once, notLanded: true, want: verdict.Inconclusive},
		"success, without missing it":       {first: func(s story) { s.Answered(s.in, "first", 201, created) }, after: once, notLanded: true, want: verdict.Inconclusive},
		"the request did not reach it":      {first: func(s story) { s.Silent(s.in, "first").Link.RequestWhole = false }, after: once, want: verdict.Inconclusive},
		"never retried":                     {first: refused, after: func(s story) { s.Saw(s.in, history.Resource, "after", 0) }, want: verdict.Inconclusive},
		"the effect could not be read then": {first: refused, after: func(s story) { s.Answered(s.in, "retry", 201, created) }, want: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := story{Builder: historytest.New("failure/store-down").Trial("cut")}
			s.in = s.Intent()
			s.Fault("store-cut", s.in, "")
			c.first(s)
			if c.down != nil {
				c.down(s)
			}
			s.Fault("store-mend", s.in, "").Landed = !c.notLanded
			c.after(s)
			ruletest.ExpectPart(t, Rules(), "failure/store-down", "cut", c.want, ruletest.IETF(t), s.History())
			ruletest.ExpectPart(t, Rules(), "failure/store-down", "silent", "", ruletest.IETF(t), s.History())
		})
	}
}

func TestBusiness(t *testing.T) {
	t.Parallel()
	const no = `{"title":"closed"}`
	for name, c := range map[string]struct {
		first   int
		retries []int
		body    string // of the retries
		effects int
		idle    bool // the key's attempts came one by one, and were refused alike
		want    verdict.Outcome
	}{
		"refused alike":                {first: 403, retries: []int{403, 403}, body: no, want: verdict.Pass},
		"refused with another status":  {first: 403, retries: []int{403, 400}, body: no, want: verdict.Fail},
		"refused with another body":    {first: 403, retries: []int{403, 403}, body: `{"title":"other"}`, want: verdict.Fail},
		"then accepted":                {first: 403, retries: []int{403, 201}, body: no, want: verdict.Fail},
		"refused, yet done":            {first: 403, retries: []int{403, 403}, body: no, effects: 1, want: verdict.Fail},
		"told to wait, then alike":     {first: 403, retries: []int{409, 403}, body: no, want: verdict.Pass},
		"told to wait for ever":        {first: 403, retries: []int{409, 409}, body: no, want: verdict.Inconclusive},
		"a refusal that is none":       {first: 201, retries: []int{201}, body: no, want: verdict.Inconclusive},
		"a failure":                    {first: 500, retries: []int{500}, body: no, want: verdict.Inconclusive},
		"nobody knows what became":     {first: 503, retries: []int{403}, body: no, want: verdict.Inconclusive},
		"a 409 that is no duplicate's": {first: 409, retries: []int{409, 409}, body: no, idle: true, want: verdict.Pass},
		"sent once":                    {first: 403, want: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New("failure/business").Offers("state")
			in := b.Intent()
			first := b.Answered(in, "first", c.first, no)
			first.Variant, first.Idle = "samples.refused", c.idle
			for _, status := range c.retries {
				retry := b.Answered(in, "retry", status, c.body)
				retry.Variant, retry.Idle = "samples.refused", c.idle
			}
			b.Saw(in, history.Resource, "after", c.effects)
			ruletest.Expect(t, Rules(), "failure/business", c.want, ruletest.IETF(t), b.History())
		})
	}
}
