package linear_test

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/linear"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
)

// story is a history with two intents, of which the second is well: it shows where answers name what was made.
type story struct {
	*historytest.Builder
	in, other *history.Intent
}

func begin() story {
	s := story{Builder: historytest.New("lost/storm")}
	s.in, s.other = s.Intent(), s.Intent()
	s.Answered(s.other, "call", 201, `{"id":"t9"}`)
	s.Saw(s.other, history.Resource, "after", 1, "t9")
	return s
}

func (s story) call(status int, body string) story { s.Answered(s.in, "call", status, body); return s }
func (s story) lost() story                        { s.Lost(s.in, "call"); return s }
func (s story) changed(status int, body string) story {
	s.Answered(s.in, "changed", status, body).Variant = "leaf/enum"
	return s
}
func (s story) changedLost() story { s.Lost(s.in, "changed").Variant = "leaf/enum"; return s }
func (s story) gateway(status int) story {
	s.Answered(s.in, "call", status, "").Replaced = true
	return s
}
func (s story) effects(n int, ids ...string) story {
	s.Saw(s.in, history.Resource, "after", n, ids...)
	return s
}

// together makes the last two attempts of the story overlap.
func (s story) together() story {
	var attempts []*history.Attempt
	for _, e := range s.History().Events {
		if e.Attempt != nil {
			attempts = append(attempts, e.Attempt)
		}
	}
	last, before := attempts[len(attempts)-1], attempts[len(attempts)-2]
	last.Began, before.Ended = before.Began, last.Ended
	return s
}

const made = `{"id":"t1"}`

func TestWhatTheReferenceExplains(t *testing.T) {
	t.Parallel()
	effectOnly := func(c *contract.Contract) { c.Fidelity = contract.FidelityEffect }
	keeps := func(c *contract.Contract) { c.Stored.ServerErrors = "yes" }
	for name, c := range map[string]struct {
		story  story
		change func(*contract.Contract)
		want   linear.How
	}{
		"done once":                          {story: begin().call(201, made).effects(1, "t1"), want: linear.Explained},
		"replayed":                           {story: begin().call(201, made).call(201, made).effects(1, "t1"), want: linear.Explained},
		"lost, then replayed":                {story: begin().lost().call(201, made).effects(1, "t1"), want: linear.Explained},
		"an intermediary's error":            {story: begin().gateway(502).call(201, made).effects(1, "t1"), want: linear.Explained},
		"lost and never done":                {story: begin().lost().effects(0), want: linear.Explained},
		"lost and done":                      {story: begin().lost().effects(1, "t1"), want: linear.Explained},
		"told to wait, then the result":      {story: begin().call(201, made).call(409, `{}`).together().call(201, made).effects(1, "t1"), want: linear.Explained},
		"refused for another payload":        {story: begin().call(201, made).changed(422, `{}`).call(201, made).effects(1, "t1"), want: linear.Explained},
		"refused for a payload that is lost": {story: begin().changedLost().call(422, `{}`).effects(1), want: linear.Explained},
		"failed, then done":                  {story: begin().call(500, `{}`).call(201, made).effects(1, "t1"), want: linear.Explained},
		"failed, and the failure kept":       {story: begin().call(500, `{}`).call(500, `{}`).effects(0), change: keeps, want: linear.Explained},
		"duplicates refused, as declared":    {story: begin().call(201, made).call(410, `{}`).effects(1, "t1"), change: effectOnly, want: linear.Explained},
		"nobody counted":                     {story: begin().call(201, made).call(201, made), want: linear.Explained},

		"a second effect":                         {story: begin().lost().call(201, made).effects(2, "t1", "t2"), want: linear.Unexplained},
		"a second effect that went away":          {story: begin().call(201, made).effects(2, "t1", "t2").effects(1, "t1"), want: linear.Unexplained},
		"a second effect nobody was told of":      {story: begin().lost().lost().effects(2, "t1", "t2"), want: linear.Unexplained},
		"an acknowledged write is lost":           {story: begin().call(201, made).effects(0), want: linear.Unexplained},
		"acknowledged after a loss, and lost":     {story: begin().lost().call(201, made).call(201, made).effects(0), want: linear.Unexplained},
		"another's answer is replayed":            {story: begin().call(201, made).call(201, `{"id":"t9"}`).effects(1, "t1"), want: linear.Unexplained},
		"another's answer and never one's own":    {story: begin().lost().call(201, `{"id":"t9"}`).effects(1, "t1"), want: linear.Unexplained},
		"two results":                             {story: begin().call(201, made).call(201, `{"id":"t2"}`).effects(1, "t1"), want: linear.Unexplained},
		"the changed payload got the result":      {story: begin().call(201, made).changed(201, made).effects(1, "t1"), want: linear.Unexplained},
		"refused for a payload nobody sent":       {story: begin().call(422, `{}`).call(201, made).effects(1, "t1"), want: linear.Unexplained},
		"refused before the other one came":       {story: begin().changed(422, `{}`).call(201, made).effects(1, "t1"), want: linear.Unexplained},
		"its own result, then refused":            {story: begin().call(201, made).call(410, `{}`).effects(1, "t1"), want: linear.Unexplained},
		"its own result, then a mismatch":         {story: begin().call(201, made).call(422, `{}`).effects(1, "t1"), want: linear.Unexplained},
		"a failure is kept, and forgotten":        {story: begin().call(400, `{}`).call(201, made).effects(1, "t1"), change: func(c *contract.Contract) { c.Stored.ClientErrors, c.Stored.Validation = "yes", "yes" }, want: linear.Unexplained},
		"refused, and done all the same":          {story: begin().call(400, `{}`).effects(1, "t1"), want: linear.Unexplained},
		"the changed payload's loss did it again": {story: begin().call(201, made).changedLost().effects(2, "t1", "t2"), want: linear.Unexplained},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := ruletest.IETF(t, func(k *contract.Contract) {
				k.Fidelity, k.Mismatch.Action, k.Mismatch.Statuses = contract.FidelityBody, contract.ActionRefuse, []int{422}
			})
			if c.change != nil {
				c.change(&k)
			}
			h := c.story.History()
			e := linear.New(k, h).Explain(c.story.in.ID)
			if e.How != c.want {
				t.Errorf("found %q, expected %q: %s", e.How, c.want, e.Detail)
			}
			if e.How == linear.Unexplained && e.Detail == "" {
				t.Error("no detail")
			}
			if again := linear.New(k, h).Explain(c.story.in.ID); again != e {
				t.Errorf("asked again: %+v, was %+v", again, e)
			}
		})
	}
}

// Beyond its bounds the search says so, and says the same each time.
func TestTooMuchToExplainIsSaid(t *testing.T) {
	t.Parallel()
	k := ruletest.IETF(t)
	s := begin()
	for range 100 {
		s.call(201, made)
	}
	if e := linear.New(k, s.History()).Explain(s.in.ID); e.How != linear.TooHot {
		t.Errorf("100 attempts under one key: %+v", e)
	}
	// Many refusals at once, each of which may have been the one that failed, and two effects: every order is tried.
	s = begin()
	var all []*history.Attempt
	for range 40 {
		all = append(all, s.Answered(s.in, "call", 500, `{}`))
	}
	for i, a := range all {
		a.Began, a.Ended, a.Variant = 1, 1_000_000, string(rune('a'+i))
	}
	s.effects(2, "t1", "t2")
	first := linear.New(k, s.History()).Explain(s.in.ID)
	if first.How != linear.TooLong {
		t.Fatalf("expected to run out of steps: %+v", first)
	}
	if again := linear.New(k, s.History()).Explain(s.in.ID); again != first {
		t.Errorf("asked again: %+v, was %+v", again, first)
	}
}

// Of lost attempts with one payload only the earliest two count, so that many of them cost nothing.
func TestManyLostAttemptsAreTwo(t *testing.T) {
	t.Parallel()
	s := begin()
	for range 500 {
		s.lost()
	}
	s.call(201, made).effects(1, "t1")
	if e := linear.New(ruletest.IETF(t), s.History()).Explain(s.in.ID); e.How != linear.Explained || e.Operations != 4 {
		t.Errorf("found %+v", e)
	}
}
