package downstream

import (
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const created = `{"id":"t1"}`

func call(seq int, key string) history.Call {
	return history.Call{Seq: seq, Method: "POST", Path: "/charges", Key: key, Status: 201, Booked: true}
}

func lookup(seq int, key string) history.Call {
	return history.Call{Seq: seq, Method: "GET", Path: "/charges", Key: key, Lookup: true, Status: 200}
}

// one is an operation that was answered, with what the gate saw of it.
func one(booked int, calls ...history.Call) *history.History {
	b := historytest.New("failure/transient")
	in := b.Intent()
	b.Answered(in, "first", 503, `{}`)
	b.Answered(in, "retry", 201, created)
	b.Saw(in, history.Resource, "final", 1, "t1")
	b.Saw(in, history.Ledger, "final", booked).Calls = calls
	return b.History()
}

func TestStableKey(t *testing.T) {
	t.Parallel()
	other := call(2, "d2")
	other.Path = "/notify"
	for name, c := range map[string]struct {
		hs   []*history.History
		want verdict.Outcome
	}{
		"sent again under its key":       {[]*history.History{one(1, call(1, "d1"), call(2, "d1"))}, verdict.Pass},
		"sent again under another":       {[]*history.History{one(2, call(1, "d1"), call(2, "d2"))}, verdict.Fail},
		"one of the times without a key": {[]*history.History{one(1, call(1, "d1"), call(2, ""))}, verdict.Fail},
		"never with a key":               {[]*history.History{one(2, call(1, ""), call(2, ""))}, verdict.Inconclusive},
		"never sent again":               {[]*history.History{one(1, call(1, "d1"))}, verdict.NotAssessed},
		"only asked about":               {[]*history.History{one(1, call(1, "d1"), lookup(2, ""))}, verdict.NotAssessed},
		"two places, a key each":         {[]*history.History{one(1, call(1, "d1"), other)}, verdict.NotAssessed},
		"one of two histories":           {[]*history.History{one(1, call(1, "d1"), call(2, "d1")), one(2, call(1, "d1"), call(2, "d2"))}, verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "downstream/stable-key", c.want, ruletest.IETF(t), c.hs...)
		})
	}
}

func TestOneEffect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		h    *history.History
		want verdict.Outcome
	}{
		"booked once":           {one(1, call(1, "d1")), verdict.Pass},
		"booked twice":          {one(2, call(1, "d1"), call(2, "d2")), verdict.Fail},
		"not booked":            {one(0), verdict.Pass},
		"no ledger was read":    {unledgered(), verdict.NotAssessed},
		"a twin has its own":    {twins(2), verdict.NotAssessed},
		"a changed payload too": {changed(2), verdict.NotAssessed},
		"another caller too":    {otherTenant(2), verdict.NotAssessed},
		"another place too":     {otherPlace(2), verdict.NotAssessed},
		"without a key, twice":  {keyless(2), verdict.NotAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "downstream/one-effect", c.want, ruletest.IETF(t), c.h)
		})
	}
}

func unledgered() *history.History {
	b := historytest.New("lost/response")
	in := b.Intent()
	b.Answered(in, "first", 201, created)
	b.Saw(in, history.Resource, "final", 1, "t1")
	return b.History()
}

// twice is an intent whose second attempt may rightly be an operation of its own.
func twice(booked int, own func(*history.Attempt)) *history.History {
	b := historytest.New("key/scope")
	in := b.Intent()
	b.Answered(in, "first", 201, created)
	own(b.Answered(in, "other", 201, `{"id":"t2"}`))
	b.Saw(in, history.Resource, "final", booked, "t1", "t2")
	b.Saw(in, history.Ledger, "final", booked)
	return b.History()
}

func changed(n int) *history.History {
	return twice(n, func(a *history.Attempt) { a.Variant = "leaf/amount" })
}

func otherTenant(n int) *history.History {
	return twice(n, func(a *history.Attempt) { a.Tenant = "globex" })
}

func otherPlace(n int) *history.History {
	return twice(n, func(a *history.Attempt) { a.Request.URL = "/things?copy=1" })
}

func keyless(n int) *history.History {
	return twice(n, func(a *history.Attempt) { a.Request.Header = a.Request.Header[:1] })
}

// shared is another operation under the key of the first, answered with the first one's result.
func shared() *history.History {
	b := historytest.New("key/scope")
	in, other := b.Intent(), b.Intent()
	other.Key = in.Key
	b.Answered(in, "first", 201, created)
	b.Answered(other, "other-operation", 201, created)
	for i, n := range map[*history.Intent]int{in: 1, other: 0} {
		b.Saw(i, history.Resource, "final", n)
		b.Saw(i, history.Ledger, "final", n)
	}
	return b.History()
}

func twins(n int) *history.History {
	b := historytest.New("key/identity")
	in, twin := b.Intent(), b.Intent()
	twin.TwinOf = in.ID
	b.Answered(in, "one", 201, created)
	b.Answered(twin, "two", 201, `{"id":"t2"}`)
	for _, i := range []*history.Intent{in, twin} {
		b.Saw(i, history.Resource, "final", n, "t1", "t2")
		b.Saw(i, history.Ledger, "final", n).Calls = []history.Call{call(1, "d1"), call(2, "d2")}
	}
	return b.History()
}

func TestReconciles(t *testing.T) {
	t.Parallel()
	seen := func(status, resources, value, booked int, state string) *history.History {
		b := historytest.New("crash/after-effect")
		in := b.Intent()
		b.Saw(in, history.Resource, "held", 0)
		b.Answered(in, "retry", status, `{}`)
		b.Saw(in, history.Resource, "final", resources)
		b.Saw(in, history.Value, "final", value)
		b.Saw(in, history.Ledger, "final", booked)
		if state != "" {
			b.Status(in, "final", state)
		}
		return b.History()
	}
	for name, c := range map[string]struct {
		h    *history.History
		want verdict.Outcome
	}{
		"all agree":                                    {seen(201, 1, 1, 1, ""), verdict.Pass},
		"answered, and nothing is there":               {seen(201, 0, 0, 0, ""), verdict.Fail},
		"answered, but not booked":                     {seen(201, 1, 1, 0, ""), verdict.Fail},
		"booked more often than there are things":      {seen(201, 1, 1, 2, ""), verdict.Fail},
		"the value moved more often":                   {seen(201, 1, 2, 1, ""), verdict.Fail},
		"twice everywhere, which others judge":         {seen(201, 2, 2, 2, ""), verdict.Pass},
		"reads failed, but was booked":                 {seen(500, 0, 0, 1, history.Failed), verdict.Fail},
		"reads failed, and nothing is there":           {seen(500, 0, 0, 0, history.Failed), verdict.Pass},
		"still open, half done":                        {seen(409, 0, 0, 1, history.UnknownDone), verdict.NotAssessed},
		"changed payloads are operations of their own": {changed(2), verdict.NotAssessed},
		"what else is under the key is judged there":   {shared(), verdict.NotAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "downstream/reconciles", c.want, ruletest.IETF(t), c.h)
		})
	}
}

func TestOwnKey(t *testing.T) {
	t.Parallel()
	two := func(second int, calls ...history.Call) *history.History {
		b := historytest.New("key/identity")
		in, twin := b.Intent(), b.Intent()
		twin.TwinOf = in.ID
		b.Answered(in, "one", 201, created)
		b.Answered(twin, "two", second, `{"id":"t2"}`)
		for _, i := range []*history.Intent{in, twin} {
			b.Saw(i, history.Ledger, "final", len(calls)).Calls = calls
		}
		return b.History()
	}
	for name, c := range map[string]struct {
		h    *history.History
		want verdict.Outcome
	}{
		"a key each":                 {two(201, call(1, "d1"), call(2, "d2")), verdict.Pass},
		"one key for both":           {two(201, call(1, "d1"), call(2, "d1")), verdict.Fail},
		"the second was a replay":    {two(201, call(1, "d1")), verdict.NotAssessed},
		"the second was refused":     {two(422, call(1, "d1"), call(2, "d1")), verdict.NotAssessed},
		"no keys at all":             {two(201, call(1, ""), call(2, "")), verdict.NotAssessed},
		"one was sent again":         {two(201, call(1, "d1"), call(2, "d1"), call(3, "d2")), verdict.Pass},
		"only questions share a key": {two(201, call(1, "d1"), call(2, "d2"), lookup(3, "d1")), verdict.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "downstream/own-key", c.want, ruletest.IETF(t), c.h)
		})
	}
}
