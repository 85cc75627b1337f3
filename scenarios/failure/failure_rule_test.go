package failure

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const created = `{"id":"t1"}`

// trial is a history in the making. Its first attempt has failed.
type trial struct {
	*historytest.Builder
	in *history.Intent
}

func begin(scenario string) trial {
	t := trial{Builder: historytest.New(scenario)}
	t.in = t.Intent()
	return t
}

func (t trial) sent(label string, status int, body string) trial {
	t.Answered(t.in, label, status, body)
	return t
}

func (t trial) effects(n int, ids ...string) trial {
	t.Saw(t.in, history.Resource, "after", n, ids...)
	return t
}

// called adds a reading of the gate's ledger.
func (t trial) called(moment string, booked int, calls ...history.Call) trial {
	t.Saw(t.in, history.Ledger, moment, booked).Calls = calls
	return t
}

var (
	refusedCall = history.Call{Seq: 1, Method: "POST", Path: "/charges", Key: "d1", Status: 503}
	goodCall    = history.Call{Seq: 2, Method: "POST", Path: "/charges", Key: "d1", Status: 201, Booked: true}
	lostCall    = history.Call{Seq: 1, Method: "POST", Path: "/charges", Key: "d1", Booked: true}
)

func declares(class, word string) func(*contract.Contract) {
	return func(c *contract.Contract) {
		switch class {
		case "4xx":
			c.Stored.ClientErrors = word
		case "5xx":
			c.Stored.ServerErrors = word
		case "validation":
			c.Stored.Validation = word
		}
	}
}

func TestTransient(t *testing.T) {
	t.Parallel()
	failed := func() trial {
		return begin("failure/transient").sent("first", 503, `{}`).called("failed", 0, refusedCall)
	}
	for name, c := range map[string]struct {
		h      trial
		change func(*contract.Contract)
		want   verdict.Outcome
	}{
		"tried again":                    {h: failed().sent("retry", 201, created).effects(1, "t1").called("after", 1, refusedCall, goodCall), want: verdict.Pass},
		"in flight for ever":             {h: failed().sent("retry", 409, `{}`).effects(0), want: verdict.Fail},
		"stored, which is not declared":  {h: failed().sent("retry", 500, `{}`).effects(0), want: verdict.Pass},
		"stored, declared":               {h: failed().sent("retry", 503, `{}`).effects(0), change: declares("5xx", "yes"), want: verdict.Pass},
		"stored, declared not to be":     {h: failed().sent("retry", 503, `{}`).effects(0), change: declares("5xx", "no"), want: verdict.Fail},
		"stored, failed retries execute": {h: failed().sent("retry", 503, `{}`).effects(0), change: func(c *contract.Contract) { c.FailedRetry = "execute" }, want: verdict.Fail},
		"done twice":                     {h: failed().sent("retry", 201, created).effects(2, "t1", "t2"), want: verdict.Fail},
		"told done, not done":            {h: failed().sent("retry", 201, created).effects(0), want: verdict.Fail},
		"no call was refused":            {h: begin("failure/transient").sent("first", 201, created).sent("retry", 201, created).effects(1, "t1").called("after", 1, goodCall), want: verdict.Inconclusive},
		"no retry":                       {h: failed().effects(0), want: verdict.Inconclusive},
		"the state could not be read":    {h: failed().sent("retry", 201, created), want: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "failure/transient", c.want, with(t, c.change), c.h.History())
		})
	}
}

func with(t *testing.T, change func(*contract.Contract)) contract.Contract {
	con := ruletest.IETF(t, func(c *contract.Contract) { c.Marker = contract.Marker{Name: "Replayed", Value: "true"} })
	if change != nil {
		change(&con)
	}
	return con
}

func TestStored(t *testing.T) {
	t.Parallel()
	twice := func(sample string, first, again int, marked bool) trial {
		h := begin("failure/stored")
		h.Trial(sample)
		h.sent("first", first, `{"error":"x"}`)
		body := `{"error":"x"}`
		if again < 300 {
			body = created
		}
		a := h.Answered(h.in, "retry", again, body)
		if marked {
			a.Answer.Header["Replayed"] = []string{"true"}
		}
		return h
	}
	correct := func(h trial, status int) trial {
		body := `{"error":"x"}`
		if status < 300 {
			body = created
		}
		h.Answered(h.in, "corrected", status, body)
		return h
	}
	corrected := func(status int) trial { return correct(twice("crash", 500, 500, false), status) }
	for name, c := range map[string]struct {
		h      trial
		part   string
		change func(*contract.Contract)
		want   verdict.Outcome
	}{
		"refused twice, unspecified":                          {h: twice("refused", 402, 402, false), part: "4xx", want: verdict.Pass},
		"refused twice, declared stored":                      {h: twice("refused", 402, 402, true), part: "4xx", change: declares("4xx", "yes"), want: verdict.Pass},
		"refused otherwise, declared stored":                  {h: twice("refused", 402, 404, false), part: "4xx", change: declares("4xx", "yes"), want: verdict.Fail},
		"carried out, declared stored":                        {h: twice("refused", 402, 201, false), part: "4xx", change: declares("4xx", "yes"), want: verdict.Fail},
		"replayed, declared not stored":                       {h: twice("refused", 402, 402, true), part: "4xx", change: declares("4xx", "no"), want: verdict.Fail},
		"refused twice, declared not stored":                  {h: twice("refused", 402, 402, false), part: "4xx", change: declares("4xx", "no"), want: verdict.Pass},
		"left in flight":                                      {h: twice("refused", 402, 409, false), part: "4xx", want: verdict.Fail},
		"the sample is accepted":                              {h: twice("refused", 201, 201, false), part: "4xx", want: verdict.Inconclusive},
		"invalid, by its own declaration":                     {h: twice("invalid", 400, 400, true), part: "4xx", change: declares("4xx", "no"), want: verdict.Pass},
		"invalid and replayed, declared not to be":            {h: twice("invalid", 400, 400, true), part: "4xx", change: declares("validation", "no"), want: verdict.Fail},
		"refused, another payload is refused as changed":      {h: correct(twice("refused", 402, 402, false), 422), part: "4xx", change: declares("4xx", "yes"), want: verdict.Pass},
		"refused, the key works with another payload":         {h: correct(twice("refused", 402, 402, false), 201), part: "4xx", want: verdict.Pass},
		"refused, the key works, declared stored":             {h: correct(twice("refused", 402, 402, false), 201), part: "4xx", change: declares("4xx", "yes"), want: verdict.Fail},
		"refused for all payloads, declared not stored":       {h: correct(twice("refused", 402, 402, false), 402), part: "4xx", change: declares("4xx", "no"), want: verdict.Fail},
		"broken twice":                                        {h: twice("crash", 500, 500, false), part: "5xx", change: declares("5xx", "no"), want: verdict.Pass},
		"broken, the key works with another payload":          {h: corrected(201), part: "5xx", change: declares("5xx", "no"), want: verdict.Pass},
		"broken, the key works, declared stored":              {h: corrected(201), part: "5xx", change: declares("5xx", "yes"), want: verdict.Fail},
		"broken, another payload is refused as changed":       {h: corrected(422), part: "5xx", change: declares("5xx", "no"), want: verdict.Pass},
		"broken for another payload too, unspecified":         {h: corrected(500), part: "5xx", want: verdict.Pass},
		"broken for another payload too, declared stored":     {h: corrected(500), part: "5xx", change: declares("5xx", "yes"), want: verdict.Pass},
		"broken for another payload too, declared not stored": {h: corrected(500), part: "5xx", change: declares("5xx", "no"), want: verdict.Fail},
		"broken, then in flight":                              {h: twice("crash", 500, 409, false), part: "5xx", want: ""},
		"downstream recovered, carried out":                   {h: twice(byDownstream, 502, 201, false), part: "5xx", change: declares("5xx", "no"), want: verdict.Pass},
		"downstream recovered, carried out, all is marked":    {h: twice(byDownstream, 502, 201, true), part: "5xx", change: declares("5xx", "no"), want: verdict.Pass},
		"downstream recovered, still failing":                 {h: twice(byDownstream, 502, 502, false), part: "5xx", change: declares("5xx", "no"), want: verdict.Fail},
		"downstream recovered, stored":                        {h: twice(byDownstream, 500, 500, true), part: "5xx", change: declares("5xx", "yes"), want: verdict.Pass},
		"downstream recovered, not stored":                    {h: twice(byDownstream, 500, 201, false), part: "5xx", change: declares("5xx", "yes"), want: verdict.Fail},
		"downstream recovered, unspecified":                   {h: twice(byDownstream, 500, 201, false), part: "5xx", want: verdict.Pass},
		"a downstream failure told as a refusal":              {h: twice(byDownstream, 424, 424, false), part: "4xx", change: declares("4xx", "yes"), want: verdict.Pass},
		"a downstream failure that does not show":             {h: twice(byDownstream, 201, 201, false), part: "5xx", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.ExpectPart(t, Rules(), "failure/stored", c.part, c.want, with(t, c.change), c.h.History())
		})
	}
}

func TestValidation(t *testing.T) {
	t.Parallel()
	corrected := func(first, then int, n int) trial {
		h := begin("failure/validation")
		h.Answered(h.in, "first", first, `{}`).Variant = "samples.invalid"
		body := `{}`
		if then < 300 {
			body = created
		}
		return h.sent("corrected", then, body).effects(n)
	}
	for name, c := range map[string]struct {
		h      trial
		change func(*contract.Contract)
		want   verdict.Outcome
	}{
		"not consumed":                   {h: corrected(400, 201, 1), want: verdict.Pass},
		"consumed":                       {h: corrected(400, 422, 0), want: verdict.Pass},
		"not consumed, as declared":      {h: corrected(400, 201, 1), change: declares("validation", "no"), want: verdict.Pass},
		"consumed, declared not to be":   {h: corrected(400, 422, 0), change: declares("validation", "no"), want: verdict.Fail},
		"not consumed, declared to be":   {h: corrected(400, 201, 1), change: declares("validation", "yes"), want: verdict.Fail},
		"left in flight":                 {h: corrected(400, 409, 0), want: verdict.Fail},
		"breaks":                         {h: corrected(400, 500, 0), want: verdict.Fail},
		"refused and done":               {h: corrected(400, 422, 1), want: verdict.Fail},
		"told done, not done":            {h: corrected(400, 201, 0), want: verdict.Fail},
		"done twice":                     {h: corrected(400, 201, 2), want: verdict.Fail},
		"the invalid sample is accepted": {h: corrected(201, 201, 1), want: verdict.Inconclusive},
		"the invalid sample breaks it":   {h: corrected(500, 201, 1), want: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "failure/validation", c.want, with(t, c.change), c.h.History())
		})
	}
}

func TestHandlerCrash(t *testing.T) {
	t.Parallel()
	broken := func(first, then int, state string, n int) trial {
		h := begin("failure/handler-crash")
		if first == 0 {
			h.Silent(h.in, "first").Variant = "samples.crash"
		} else {
			h.Answered(h.in, "first", first, `{}`).Variant = "samples.crash"
		}
		if then == 0 {
			h.Silent(h.in, "retry").Variant = "samples.crash"
		} else {
			h.Answered(h.in, "retry", then, `{}`).Variant = "samples.crash"
		}
		if state != "" {
			h.Status(h.in, "after", state)
		}
		return h.effects(n)
	}
	for name, c := range map[string]struct {
		h    trial
		want verdict.Outcome
	}{
		"breaks again":                   {broken(500, 500, "", 0), verdict.Pass},
		"breaks the connection":          {broken(0, 500, "", 0), verdict.Pass},
		"recovers":                       {broken(500, 201, "", 1), verdict.Pass},
		"left in flight":                 {broken(500, 409, "", 0), verdict.Fail},
		"left in flight, reads progress": {broken(500, 409, history.InProgress, 0), verdict.Fail},
		"in flight, but reads failed":    {broken(500, 409, history.Failed, 0), verdict.Pass},
		"in flight, but reads unknown":   {broken(500, 409, history.UnknownDone, 0), verdict.Pass},
		"an effect each time":            {broken(500, 500, "", 2), verdict.Fail},
		"breaks the connection again":    {broken(0, 0, "", 0), verdict.Pass},
		"not answered once":              {broken(500, 0, "", 0), verdict.Inconclusive},
		"never answered":                 {never(broken(500, 0, "", 0)), verdict.Fail},
		"never answered, reads failed":   {never(broken(500, 0, history.Failed, 0)), verdict.Pass},
		"not answered, then answered":    {broken(500, 0, "", 0).sent("retry", 500, `{}`), verdict.Pass},
		"does not break":                 {broken(201, 201, "", 1), verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "failure/handler-crash", c.want, with(t, nil), c.h.History())
		})
	}
}

// never adds one more retry without an answer.
func never(t trial) trial {
	t.Silent(t.in, "retry").Variant = "samples.crash"
	return t
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	lost := func(first, silent int) trial {
		return begin("failure/unknown").sent("first", first, `{}`).sent("retry", silent, `{}`).called("silent", 1, lostCall)
	}
	again := lostCall
	again.Seq, again.Key = 2, "d2"
	allowed := func(c *contract.Contract) { c.Recovery.StuckAllowed = true }
	bare := func(c *contract.Contract) { c.Fidelity = contract.FidelityEffect }
	for name, c := range map[string]struct {
		h                        trial
		change                   func(*contract.Contract)
		reported, once, resolves verdict.Outcome
	}{
		"unknown, then resolved":   {h: lost(504, 504).sent("retry", 201, created).effects(1, "t1").called("after", 1, lostCall), reported: verdict.Pass, once: verdict.Pass, resolves: verdict.Pass},
		"5xx of its own":           {h: lost(500, 409).sent("retry", 201, created).effects(1, "t1").called("after", 1, lostCall), reported: verdict.Pass, once: verdict.Pass, resolves: verdict.Pass},
		"called a refusal":         {h: lost(402, 402).sent("retry", 402, `{}`).effects(0).called("after", 1, lostCall), reported: verdict.Fail, once: verdict.Pass, resolves: verdict.Fail},
		"booked again":             {h: lost(504, 504).sent("retry", 201, created).effects(1, "t1").called("after", 2, lostCall, again), reported: verdict.Pass, once: verdict.Fail, resolves: verdict.Pass},
		"never resolved":           {h: lost(504, 504).sent("retry", 504, `{}`).effects(0).called("after", 1, lostCall), reported: verdict.Pass, once: verdict.Pass, resolves: verdict.Fail},
		"never resolved, declared": {h: lost(504, 504).sent("retry", 504, `{}`).effects(0).called("after", 1, lostCall), change: allowed, reported: verdict.Pass, once: verdict.Pass, resolves: verdict.Pass},
		"done, refused bare":       {h: lost(504, 409).sent("retry", 409, `{}`).effects(1, "t1").called("after", 1, lostCall), change: bare, reported: verdict.Pass, once: verdict.Pass, resolves: verdict.Pass},
		"done, the result is owed": {h: lost(504, 409).sent("retry", 409, `{}`).effects(1, "t1").called("after", 1, lostCall), reported: verdict.Pass, once: verdict.Pass, resolves: verdict.Fail},
		"does not need the answer": {h: lost(201, 201).sent("retry", 201, created).effects(1, "t1").called("after", 1, lostCall), reported: verdict.NotAssessed, once: verdict.Pass, resolves: verdict.NotAssessed},
		"told done, not done":      {h: lost(201, 201).sent("retry", 201, created).effects(0).called("after", 1, lostCall), reported: verdict.Fail, once: verdict.Fail, resolves: verdict.NotAssessed},
		"the fault did not land":   {h: begin("failure/unknown").sent("first", 201, created).sent("retry", 201, created).effects(1, "t1").called("after", 1, goodCall), reported: verdict.Inconclusive, once: verdict.Inconclusive, resolves: verdict.Inconclusive},
		"the state cannot be read": {h: lost(504, 504).sent("retry", 201, created), reported: verdict.Pass, once: verdict.Inconclusive, resolves: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con, h := with(t, c.change), c.h.History()
			ruletest.ExpectPart(t, Rules(), "failure/unknown", "reported", c.reported, con, h)
			ruletest.ExpectPart(t, Rules(), "failure/unknown", "one-effect", c.once, con, h)
			ruletest.ExpectPart(t, Rules(), "failure/unknown", "resolves", c.resolves, con, h)
		})
	}
}
