package rule_test

import (
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
)

func TestHowAnIntentEnds(t *testing.T) {
	t.Parallel()
	const created = `{"id":"thing-1","title":"x"}`
	for name, c := range map[string]struct {
		do   func(b *historytest.Builder, in *history.Intent)
		want rule.Ending
	}{
		"done": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Saw(in, history.Resource, "final", 1, "thing-1")
		}, rule.Done},
		"two at any moment": {func(b *historytest.Builder, in *history.Intent) {
			b.Saw(in, history.Resource, "held", 2)
			b.Answered(in, "first", 201, created)
			b.Saw(in, history.Resource, "final", 1, "thing-1")
		}, rule.Duplicated},
		"acknowledged, and not there": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Saw(in, history.Resource, "final", 0)
		}, rule.Vanished},
		"acknowledged, there, and then gone": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Saw(in, history.Resource, "after", 1, "thing-1")
			b.Saw(in, history.Resource, "final", 0)
		}, rule.Vanished},
		"only looked for before the answer": {func(b *historytest.Builder, in *history.Intent) {
			b.Saw(in, history.Resource, "before", 0)
			b.Saw(in, history.Resource, "held", 0)
			b.Answered(in, "first", 201, created)
		}, rule.Unread},
		"one probe fell silent, another speaks": {func(b *historytest.Builder, in *history.Intent) {
			b.Saw(in, history.Value, "held", 0)
			b.Answered(in, "first", 201, created)
			b.Saw(in, history.Resource, "final", 1, "thing-1")
		}, rule.Done},
		"a probe that nobody configured shows nothing": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Saw(in, history.Resource, "final", 1, "thing-1")
			b.Saw(in, history.Ledger, "final", 0).Extra = true
		}, rule.Done},
		"a probe that nobody configured shows two": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Saw(in, history.Resource, "final", 1, "thing-1")
			b.Saw(in, history.Ledger, "final", 2).Extra = true
		}, rule.Duplicated},
		"one probe broke, another shows nothing": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Saw(in, history.Value, "final", 0).Error = "500"
			b.Saw(in, history.Resource, "final", 0)
		}, rule.Vanished},
		"another id in the second answer": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Answered(in, "retry", 201, `{"id":"thing-2","title":"x"}`)
			b.Saw(in, history.Resource, "final", 1, "thing-1")
		}, rule.Confused},
		"another location in the second answer": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, "").Answer.Header["Location"] = []string{"/things/thing-1"}
			b.Answered(in, "retry", 201, "").Answer.Header["Location"] = []string{"/things/thing-2"}
			b.Saw(in, history.Resource, "final", 1, "thing-1")
		}, rule.Confused},
		"a shorter second answer": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, created)
			b.Answered(in, "retry", 200, `{"replayed":true}`)
			b.Saw(in, history.Resource, "final", 1, "thing-1")
		}, rule.Done},
		"a counter that happens to be the id": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 201, `{"id":1,"attempts":1}`)
			b.Answered(in, "retry", 201, `{"id":1,"attempts":2}`)
			b.Saw(in, history.Resource, "final", 1, "1")
		}, rule.Done},
		"told to come back": {func(b *historytest.Builder, in *history.Intent) {
			b.Lost(in, "first")
			b.Answered(in, "retry", 409, `{}`)
			b.Saw(in, history.Resource, "final", 1, "thing-1")
		}, rule.Open},
		"never answered": {func(b *historytest.Builder, in *history.Intent) {
			b.Silent(in, "first")
			b.Saw(in, history.Resource, "final", 0)
		}, rule.Open},
		"refused": {func(b *historytest.Builder, in *history.Intent) {
			b.Lost(in, "first")
			b.Answered(in, "retry", 400, `{}`)
			b.Saw(in, history.Resource, "final", 0)
		}, rule.Denied},
		"somebody else's success does not count": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "first", 400, `{}`)
			a := b.Answered(in, "foreign", 201, created)
			a.Tenant, a.Began = "globex", 0
			b.Saw(in, history.Resource, "final", 0)
		}, rule.Denied},
		"nor does that of another payload": {func(b *historytest.Builder, in *history.Intent) {
			b.Answered(in, "changed", 201, created).Variant = "leaf/amount"
			b.Answered(in, "retry", 422, `{}`)
			b.Saw(in, history.Resource, "final", 0)
		}, rule.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New("lost/response")
			in := b.Intent()
			c.do(b, in)
			end := rule.Case{Contract: ruletest.IETF(t)}.End(b.History(), in.ID)
			if end.How != c.want || end.Detail == "" {
				t.Errorf("expected %q, found %q: %s", c.want, end.How, end.Detail)
			}
		})
	}
}

func TestHeld(t *testing.T) {
	t.Parallel()
	b := historytest.New("race/in-flight")
	in, other := b.Intent(), b.Intent()
	b.Fault("hold", other, "")
	if _, _, ok := b.History().Held(in.ID); ok {
		t.Error("another intent's hold was taken for this one's")
	}
	b.Fault("hold", in, "").Landed = false
	if _, _, ok := b.History().Held(in.ID); ok {
		t.Error("a hold that held nothing was taken for one that did")
	}
	b.Fault("hold", in, "")
	b.Note("work")
	b.Fault("release", other, "")
	b.Fault("release", in, "")
	h := b.History()
	from, until, ok := h.Held(in.ID)
	if !ok || from != h.Events[2].At || until != h.Events[5].At {
		t.Errorf("expected %d to %d, found %d to %d, %v", h.Events[2].At, h.Events[5].At, from, until, ok)
	}
}
