package status

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const created = `{"id":"thing-1"}`

type build = func(b *historytest.Builder, in *history.Intent)

func made(scenario, trial string, do build) *history.History {
	b := historytest.New(scenario)
	if trial != "" {
		b.Trial(trial)
	}
	do(b, b.Intent())
	return b.History()
}

func TestByKey(t *testing.T) {
	t.Parallel()
	lost := func(states ...string) build {
		return func(b *historytest.Builder, in *history.Intent) {
			b.Lost(in, "first")
			for _, s := range states {
				b.Status(in, "lost", s)
			}
			b.Saw(in, history.Resource, "after", 1, "thing-1")
		}
	}
	for name, c := range map[string]struct {
		do   build
		want verdict.Outcome
	}{
		"found":                         {lost(history.Succeeded), verdict.Pass},
		"found in progress, then done":  {lost(history.InProgress, history.Succeeded), verdict.Pass},
		"found, outcome unknown":        {lost(history.UnknownDone), verdict.Pass},
		"not found":                     {lost(history.Absent), verdict.Fail},
		"reads failed, but it was done": {lost(history.Failed), verdict.Fail},
		"not read":                      {lost(), verdict.Inconclusive},
		"the answer was not lost": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Status(in, "lost", history.Succeeded)
		}, verdict.Inconclusive},
		"reads a word that is not known": {func(b *historytest.Builder, in *history.Intent) {
			b.Lost(in, "first")
			s := b.Status(in, "lost", "odd")
			s.State = ""
		}, verdict.Inconclusive},
		"may not be read by its caller": {func(b *historytest.Builder, in *history.Intent) {
			b.Lost(in, "first")
			s := b.Status(in, "lost", "")
			s.HTTP = 403
		}, verdict.Fail},
		"the status breaks": {func(b *historytest.Builder, in *history.Intent) {
			b.Lost(in, "first")
			s := b.Status(in, "lost", "")
			s.HTTP = 500
		}, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "status/by-key", c.want, ruletest.IETF(t), made("status/by-key", "", c.do))
		})
	}
}

func TestInProgress(t *testing.T) {
	t.Parallel()
	held := func(state string, effects int) build {
		return func(b *historytest.Builder, in *history.Intent) {
			b.Fault("hold", in, "")
			b.Saw(in, history.Resource, "held", effects)
			b.Status(in, "held", state)
			b.Fault("release", in, "")
			b.Answered(in, "first", 201, created)
		}
	}
	for name, c := range map[string]struct {
		do   build
		want verdict.Outcome
	}{
		"in progress":              {held(history.InProgress, 0), verdict.Pass},
		"not known yet":            {held(history.Absent, 0), verdict.Fail},
		"called done before it is": {held(history.Succeeded, 0), verdict.Fail},
		"called failed":            {held(history.Failed, 0), verdict.Fail},
		"it was done already":      {held(history.Succeeded, 1), verdict.NotAssessed},
		"it was not held": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Status(in, "held", history.Succeeded)
		}, verdict.Inconclusive},
		"its call came after the answer": {func(b *historytest.Builder, in *history.Intent) {
			first := b.Answered(in, "first", 202, created)
			b.Status(in, "held", history.InProgress)
			b.Saw(in, history.Ledger, "after", 1).Calls = []history.Call{{Seq: 1, At: first.Ended + 1, Method: "POST", Path: "/book", Booked: true, Status: 201}}
		}, verdict.NotAssessed},
		"it was let go before": {func(b *historytest.Builder, in *history.Intent) {
			b.Fault("hold", in, "")
			b.Fault("release", in, "")
			b.Answered(in, "first", 201, created)
			b.Status(in, "held", history.Succeeded)
		}, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "status/in-progress", c.want, ruletest.IETF(t), made("status/in-progress", "", c.do))
		})
	}
}

func TestFinal(t *testing.T) {
	t.Parallel()
	done := func(state, body string) build {
		return func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			s := b.Status(in, "done", state)
			s.Answer.Body = historytest.Body(body)
			b.Saw(in, history.Resource, "after", 1, "thing-1")
		}
	}
	for name, c := range map[string]struct {
		do                   build
		succeeded, reference verdict.Outcome
	}{
		"succeeded, named":     {done(history.Succeeded, `{"state":"done","result":"/things/thing-1"}`), verdict.Pass, verdict.Pass},
		"succeeded, not named": {done(history.Succeeded, `{"state":"done"}`), verdict.Pass, verdict.Fail},
		"still in progress":    {done(history.InProgress, `{}`), verdict.Fail, verdict.NotAssessed},
		"not known":            {done(history.Absent, ``), verdict.Fail, verdict.NotAssessed},
		"nothing to name": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 204, "")
			b.Status(in, "done", history.Succeeded)
		}, verdict.Pass, verdict.NotAssessed},
		"named by its location": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 204, "").Answer.Header["Location"] = []string{"/things/thing-1"}
			b.Status(in, "done", history.Succeeded).Answer.Body = historytest.Body(`{"at":"/things/thing-1"}`)
		}, verdict.Pass, verdict.Pass},
		"it was not done": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 500, `{}`)
			b.Status(in, "done", history.Failed)
		}, verdict.Inconclusive, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := made("status/final", "succeeded", c.do)
			ruletest.ExpectPart(t, Rules(), "status/final", "succeeded", c.succeeded, ruletest.IETF(t), h)
			ruletest.ExpectPart(t, Rules(), "status/final", "reference", c.reference, ruletest.IETF(t), h)
		})
	}
	for name, c := range map[string]struct {
		status int
		state  string
		stored string
		want   verdict.Outcome
	}{
		"refused, reads failed":             {402, history.Failed, "", verdict.Pass},
		"refused, not kept":                 {402, history.Absent, "", verdict.NotAssessed},
		"refused, not kept, declared to be": {402, history.Absent, "yes", verdict.Fail},
		"refused, reads succeeded":          {402, history.Succeeded, "", verdict.Fail},
		"refused, reads in progress":        {402, history.InProgress, "", verdict.Fail},
		"the sample is accepted":            {201, history.Succeeded, "", verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := made("status/final", "refused", func(b *historytest.Builder, in *history.Intent) {
				b.Answered(in, "first", c.status, `{}`)
				b.Status(in, "done", c.state)
			})
			con := ruletest.IETF(t, func(k *contract.Contract) { k.Stored.ClientErrors = c.stored })
			ruletest.ExpectPart(t, Rules(), "status/final", "refused", c.want, con, h)
		})
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	lost := func(answer int, state string, booked bool) build {
		return func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", answer, `{}`)
			b.Status(in, "unknown", state)
			b.Saw(in, history.Ledger, "silent", 1).Calls = []history.Call{{Seq: 1, Booked: booked}}
		}
	}
	for name, c := range map[string]struct {
		do   build
		want verdict.Outcome
	}{
		"reads unknown":          {lost(504, history.UnknownDone, true), verdict.Pass},
		"reads in progress":      {lost(504, history.InProgress, true), verdict.Pass},
		"reads failed":           {lost(504, history.Failed, true), verdict.Fail},
		"not known":              {lost(504, history.Absent, true), verdict.Fail},
		"reads succeeded":        {lost(504, history.Succeeded, true), verdict.Fail},
		"does not need to know":  {lost(201, history.Succeeded, true), verdict.NotAssessed},
		"the fault did not land": {lost(504, history.UnknownDone, false), verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "status/unknown", c.want, ruletest.IETF(t), made("status/unknown", "", c.do))
		})
	}
}

func TestAuthorised(t *testing.T) {
	t.Parallel()
	other := func(http int, state, body string) build {
		return func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Status(in, "own", history.Succeeded)
			s := b.Status(in, "other", state)
			s.Tenant, s.HTTP, s.Answer = "globex", http, &history.Answer{Status: http, Body: historytest.Body(body), Header: map[string][]string{"Content-Length": {"7"}}}
			b.Saw(in, history.Resource, "after", 1, "thing-1", "7")
		}
	}
	for name, c := range map[string]struct {
		do   build
		want verdict.Outcome
	}{
		"not found":                  {other(404, history.Absent, `{}`), verdict.Pass},
		"forbidden":                  {other(403, "", `{}`), verdict.Pass},
		"reads the state":            {other(200, history.Succeeded, `{}`), verdict.Fail},
		"forbidden, but told the id": {other(403, "", `{"detail":"not your thing-1"}`), verdict.Fail},
		"an empty list":              {other(200, "", `[]`), verdict.Pass},
		"a list with it":             {other(200, "", `[{"title":"marker-1"}]`), verdict.Fail},
		"breaks":                     {other(500, "", `{}`), verdict.Inconclusive},
		"no answer":                  {other(0, "", ``), verdict.Inconclusive},
		"its owner does not find it": {func(b *historytest.Builder, in *history.Intent) {
			b.Status(in, "own", history.Absent)
			b.Status(in, "other", history.Absent).Tenant = "globex"
		}, verdict.Inconclusive},
		"nobody else asked": {func(b *historytest.Builder, in *history.Intent) { b.Status(in, "own", history.Succeeded) }, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "status/authorised", c.want, ruletest.IETF(t), made("status/authorised", "", c.do))
		})
	}
}

func TestMonotonic(t *testing.T) {
	t.Parallel()
	reads := func(states ...string) build {
		return func(b *historytest.Builder, in *history.Intent) {
			for _, s := range states {
				if s == "retry" {
					b.Answered(in, "retry", 201, created)
					continue
				}
				b.Status(in, "some", s)
			}
		}
	}
	for name, c := range map[string]struct {
		do     build
		failed string // contract's failed_retry
		want   verdict.Outcome
	}{
		"stays":                             {reads(history.InProgress, history.Succeeded, "retry", history.Succeeded), "", verdict.Pass},
		"changes back":                      {reads(history.Succeeded, "retry", history.InProgress), "", verdict.Fail},
		"is forgotten":                      {reads(history.Succeeded, history.Absent), "", verdict.Fail},
		"fails after it succeeded":          {reads(history.Succeeded, history.Failed), "", verdict.Fail},
		"failed, tried again":               {reads(history.Failed, "retry", history.Succeeded, history.Succeeded), "", verdict.Pass},
		"failed, tried again, not declared": {reads(history.Failed, "retry", history.Succeeded), "replay", verdict.Fail},
		"failed, and then not, by itself":   {reads(history.Failed, history.Succeeded), "", verdict.Fail},
		"unknown is not final":              {reads(history.UnknownDone, history.Failed), "", verdict.NotAssessed},
		"read once":                         {reads(history.Succeeded), "", verdict.NotAssessed},
		"somebody else reads": {func(b *historytest.Builder, in *history.Intent) {
			b.Status(in, "own", history.Succeeded)
			b.Status(in, "other", history.Absent).Tenant = "globex"
		}, "", verdict.NotAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con := ruletest.IETF(t, func(k *contract.Contract) { k.FailedRetry = c.failed })
			ruletest.Expect(t, Rules(), "status/monotonic", c.want, con, made("status/final", "", c.do))
		})
	}
}
