package fingerprint

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// pairOf is the history of one pair: what A, B, the control and a second A were answered, and how many effects A's intent has.
type pairOf struct {
	rewrite         string
	guess, prepared bool
	a, b            int
	control, plain  int // 0: not sent
	controlBody     string
	again           int // the identical request once more; 0: not sent
	effects         int
	odd             string
	xml             bool     // the answers are no JSON
	volatile        []string // declared
}

// closed stands for a connection that the target closes instead of an answer.
const closed = -1

func (p pairOf) history() *history.History {
	h := &history.History{Schema: history.Schema, ID: "h", Scenario: "fingerprint/rewrites", Operations: []string{"op"},
		Rewrite: &history.Rewrite{ID: p.rewrite, At: "/x", Guess: p.guess, Prepared: p.prepared}}
	add := func(label, intent string, status int, body string) {
		if p.xml {
			body = "<x>" + body + "</x>"
		}
		if status == closed {
			h.Events = append(h.Events, history.Event{Attempt: &history.Attempt{Label: label, Intent: intent, Outcome: history.Lost, Reason: "the connection was closed",
				Link: history.Link{Reached: true, RequestWhole: true}}})
			return
		}
		h.Events = append(h.Events, history.Event{Attempt: &history.Attempt{Label: label, Intent: intent, Outcome: history.Answered,
			Link:   history.Link{Reached: true, RequestWhole: true},
			Answer: &history.Answer{Status: status, Header: map[string][]string{}, Body: history.Body{Text: body, Length: int64(len(body))}}}})
	}
	add("first", "i1", p.a, `{"id":"1","x":1}`)
	add("rewritten", "i1", p.b, `{"id":"1","x":1}`)
	if p.again != 0 {
		add("again", "i1", p.again, "")
	}
	h.Events = append(h.Events,
		history.Event{Observation: &history.Observation{Intent: "i1", Probe: "http", Kind: history.Resource, Moment: "after", Count: p.effects}},
		history.Event{Observation: &history.Observation{Intent: "i1", Probe: "value", Kind: history.Value, Moment: "after", Count: 1, Odd: p.odd}})
	if p.control != 0 {
		add("control", "i2", p.control, p.controlBody)
	}
	if p.plain != 0 {
		add("plain", "i3", p.plain, `{"id":"3","x":1}`)
	}
	return h
}

func TestAPairIsToldByState(t *testing.T) {
	t.Parallel()
	const same, different, practice, byContract, unclaimed = "space/pretty", "nested/leaf", "number/trailing-zero", "header/accept", "query/bare-mark"
	for name, c := range map[string]struct {
		pair pairOf
		want verdict.Outcome
		says string
	}{
		"same meaning replays":                             {pairOf{rewrite: same, a: 201, b: 201, control: 201, effects: 1}, verdict.Pass, "replayed"},
		"same meaning executed":                            {pairOf{rewrite: same, a: 201, b: 201, control: 201, effects: 2}, verdict.Fail, "double execution"},
		"same meaning refused":                             {pairOf{rewrite: same, a: 201, b: 422, control: 201, effects: 1}, verdict.Fail, "false refusal"},
		"every repetition is refused, whatever it says":    {pairOf{rewrite: same, a: 201, b: 410, again: 410, control: 201, effects: 1}, verdict.NotAssessed, "identical request"},
		"same meaning refused, the identical one is not":   {pairOf{rewrite: same, a: 201, b: 422, again: 201, control: 201, effects: 1}, verdict.Fail, "false refusal"},
		"same meaning refused even under its own key":      {pairOf{rewrite: same, a: 201, b: 422, control: 422, effects: 1}, verdict.NotAssessed, "vacuous"},
		"refused without a control proves nothing":         {pairOf{rewrite: same, a: 201, b: 422, effects: 1}, verdict.Inconclusive, "not sent"},
		"another meaning refused":                          {pairOf{rewrite: different, a: 201, b: 422, control: 201, effects: 1}, verdict.Pass, "refused"},
		"another meaning refused, but invalid anyway":      {pairOf{rewrite: different, a: 201, b: 422, control: 400, effects: 1}, verdict.NotAssessed, "vacuous"},
		"another meaning replayed":                         {pairOf{rewrite: different, a: 201, b: 201, control: 201, effects: 1}, verdict.Fail, "false replay"},
		"another meaning executed":                         {pairOf{rewrite: different, a: 201, b: 201, control: 201, effects: 2}, verdict.Fail, "double execution"},
		"another meaning moved the value again":            {pairOf{rewrite: different, a: 201, b: 422, control: 201, effects: 1, odd: "-2000"}, verdict.Fail, "double execution"},
		"a prepared A moves by its own amount":             {pairOf{rewrite: different, prepared: true, a: 201, b: 422, control: 201, effects: 1, odd: "-7"}, verdict.Pass, "refused"},
		"a guessed place without effect may replay":        {pairOf{rewrite: different, guess: true, a: 201, b: 201, control: 201, controlBody: `{"id":"2","x":1}`, plain: 201, effects: 1}, verdict.Pass, "equal results"},
		"a guessed place with effect may not":              {pairOf{rewrite: different, guess: true, a: 201, b: 201, control: 201, controlBody: `{"id":"2","x":9}`, plain: 201, effects: 1}, verdict.Fail, "false replay"},
		"a guess that cannot be compared":                  {pairOf{rewrite: different, guess: true, a: 201, b: 201, control: 201, effects: 1}, verdict.NotAssessed, "cannot be told"},
		"undeclared: refusing is fine":                     {pairOf{rewrite: byContract, a: 201, b: 422, control: 201, plain: 201, effects: 1}, verdict.Pass, "refused"},
		"undeclared: replaying what has the same result":   {pairOf{rewrite: byContract, a: 201, b: 201, control: 201, controlBody: `{"id":"2","x":1}`, plain: 201, effects: 1}, verdict.Pass, "equal results"},
		"undeclared: replaying what has another result":    {pairOf{rewrite: byContract, a: 201, b: 201, control: 201, controlBody: `{"id":"2","x":2}`, plain: 201, effects: 1}, verdict.Fail, "false replay"},
		"undeclared: answers that are no JSON":             {pairOf{rewrite: byContract, xml: true, a: 201, b: 201, control: 201, controlBody: `{"id":"2","x":1}`, plain: 201, effects: 1}, verdict.NotAssessed, "cannot be told"},
		"undeclared: what is declared to differ":           {pairOf{rewrite: byContract, volatile: []string{"/x"}, a: 201, b: 201, control: 201, controlBody: `{"id":"2","x":2}`, plain: 201, effects: 1}, verdict.Pass, "equal results"},
		"undeclared: never executed":                       {pairOf{rewrite: byContract, a: 201, b: 201, control: 201, effects: 2}, verdict.Fail, "double execution"},
		"practice: refusing is a finding, a weaker one":    {pairOf{rewrite: practice, a: 201, b: 422, control: 201, effects: 1}, verdict.Fail, "false refusal"},
		"unclaimed: refusing is fine":                      {pairOf{rewrite: unclaimed, a: 201, b: 422, effects: 1}, verdict.Pass, "refused"},
		"unclaimed: replaying is fine":                     {pairOf{rewrite: unclaimed, a: 201, b: 201, effects: 1}, verdict.Pass, "replayed"},
		"unclaimed: executing is fine":                     {pairOf{rewrite: unclaimed, a: 201, b: 201, effects: 2}, verdict.Pass, "operation of its own"},
		"an A that is refused says nothing":                {pairOf{rewrite: same, a: 400, b: 400, effects: 0}, verdict.NotAssessed, "proves nothing"},
		"a B that it hangs up on under any key":            {pairOf{rewrite: different, a: 201, b: closed, again: 201, control: closed, effects: 1}, verdict.NotAssessed, "vacuous"},
		"it hangs up on B under A's key alone":             {pairOf{rewrite: different, a: 201, b: closed, again: 201, control: 201, effects: 1}, verdict.Inconclusive, "closed"},
		"it hangs up on everything from then on":           {pairOf{rewrite: different, a: 201, b: closed, again: closed, control: closed, effects: 1}, verdict.Inconclusive, "closed"},
		"a B that it executes and hangs up on":             {pairOf{rewrite: different, a: 201, b: closed, again: 201, control: closed, effects: 2}, verdict.Fail, "double execution"},
		"an intermediary's answer to B says nothing of it": {pairOf{rewrite: same, a: 201, b: 503, control: 201, effects: 1}, verdict.Inconclusive, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			promised, err := contract.Profile("ietf-07")
			if err != nil {
				t.Fatal(err)
			}
			promised.Volatile = c.pair.volatile
			h := c.pair.history()
			_, f, ok := judge(rule.Case{Contract: promised, Operation: "op", Histories: []*history.History{h}}, h)
			if !ok || f.Outcome != c.want || !strings.Contains(f.Detail, c.says) {
				t.Errorf("%s: %s; want %s: …%s…", f.Outcome, f.Detail, c.want, c.says)
			}
			if wantLevel := c.pair.rewrite == practice && c.want == verdict.Fail; wantLevel != (f.Level == verdict.Should) {
				t.Errorf("level %q", f.Level)
			}
			if f.Part != c.pair.rewrite {
				t.Errorf("part %q, want the rewrite's id", f.Part)
			}
		})
	}
}

func TestEachRewriteBelongsToOneRequirement(t *testing.T) {
	t.Parallel()
	for _, r := range rewrite.Catalogue() {
		n := 0
		for _, mine := range []bool{kind(r) == rewrite.Same, kind(r) == rewrite.Different, kind(r) == rewrite.ByContract, isVolatile(r)} {
			if mine {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s belongs to %d requirements", r.ID, n)
		}
	}
}

// Whether a quoted and a bare key are one is a SHOULD of key/quoted-and-bare; the same observation is not a MUST elsewhere.
func TestTheKeysOtherSpellingIsNoMust(t *testing.T) {
	t.Parallel()
	c := rule.Case{Contract: contract.Contract{Key: contract.Key{Encoding: contract.EncodingStructured}}}
	for rewritten, want := range map[string]verdict.Level{"key/quoted": verdict.Should, "nested/leaf": ""} {
		_, f, _ := judge(c, pairOf{rewrite: rewritten, a: 201, b: 201, control: 201, effects: 2}.history())
		if f.Outcome != verdict.Fail || f.Level != want {
			t.Errorf("%s, executed twice: %s at level %q, want a fail at %q", rewritten, f.Outcome, f.Level, want)
		}
	}
}
