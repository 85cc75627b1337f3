package conflict

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	replayed := answer(201, `{"id":"t-1"}`)
	for name, tc := range map[string]struct {
		change func(*story)
		with   []func(*contract.Contract)
		want   verdict.Outcome
		level  verdict.Level
	}{
		"422 as declared":                           {func(*story) {}, nil, pass, ""},
		"400 where 422 is declared":                 {func(s *story) { s.each(answer(400, "{}")) }, nil, fail, verdict.Should},
		"409, in words of in flight":                {func(s *story) { s.each(answer(409, "{}")) }, nil, fail, verdict.Should},
		"409 as declared":                           {func(s *story) { s.each(answer(409, "{}")) }, []func(*contract.Contract){mismatch(contract.Response{Action: "refuse", Statuses: []int{409}})}, pass, ""},
		"417, no status declared":                   {func(s *story) { s.each(answer(417, "{}")) }, []func(*contract.Contract){mismatch(contract.Response{Action: "refuse"})}, pass, ""},
		"the declared code":                         {func(s *story) { s.each(answer(400, `{"code":"idempotency_error"}`)) }, []func(*contract.Contract){mismatch(contract.Response{Action: "refuse", Statuses: []int{400}, Code: "idempotency_error"})}, pass, ""},
		"without the declared code":                 {func(s *story) { s.each(answer(400, `{"code":"bad_request"}`)) }, []func(*contract.Contract){mismatch(contract.Response{Action: "refuse", Statuses: []int{400}, Code: "idempotency_error"})}, fail, verdict.Should},
		"replayed":                                  {func(s *story) { s.each(replayed) }, nil, fail, ""},
		"executed":                                  {func(s *story) { s.each(answer(201, `{"id":"t-9"}`)) }, nil, fail, ""},
		"the second time executed, of another rule": {func(s *story) { answer(201, `{"id":"t-9"}`)(s.again) }, nil, pass, ""},
		"500":                                 {func(s *story) { s.each(answer(500, "{}")) }, nil, fail, ""},
		"503":                                 {func(s *story) { s.each(answer(503, "{}")) }, nil, inconclusive, ""},
		"asked to slow down":                  {func(s *story) { s.each(answer(429, "{}")) }, nil, inconclusive, ""},
		"lost":                                {func(s *story) { lost(s.changed) }, nil, inconclusive, ""},
		"refused under a fresh key too":       {func(s *story) { answer(422, refusalBody)(s.control) }, nil, inconclusive, ""},
		"replayed, whatever the control says": {func(s *story) { s.each(replayed); lost(s.control) }, nil, fail, ""},
		"the first was refused":               {func(s *story) { answer(403, "{}")(s.first) }, nil, inconclusive, ""},
		"replayed as declared":                {func(s *story) { s.each(replayed) }, []func(*contract.Contract){mismatch(contract.Response{Action: "replay"})}, notAssessed, ""},
		"executed as declared is never green": {func(s *story) { s.each(answer(201, `{"id":"t-9"}`)) }, []func(*contract.Contract){mismatch(contract.Response{Action: "execute"})}, notAssessed, ""},
		"refused although replay is declared": {func(*story) {}, []func(*contract.Contract){mismatch(contract.Response{Action: "replay"})}, fail, verdict.Should},
		"replayed, left open":                 {func(s *story) { s.each(replayed) }, []func(*contract.Contract){mismatch(contract.Response{})}, notAssessed, ""},
		"replayed, without any fingerprint":   {func(s *story) { s.each(replayed) }, []func(*contract.Contract){func(c *contract.Contract) { c.Fingerprint.Mode = contract.ModeNone }}, notAssessed, ""},
		"told to come back, then refused":     {func(s *story) { s.comeBack() }, nil, pass, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := conflicted()
			tc.change(s)
			f := ruletest.Expect(t, Rules(), "conflict/refused", tc.want, ruletest.IETF(t, tc.with...), s.History())
			if f.Level != tc.level {
				t.Errorf("expected level %q, found %q: %s", tc.level, f.Level, f.Detail)
			}
		})
	}
}

// comeBack tells the story of a target that ends its record after it has answered.
func (s *story) comeBack() {
	*s = story{Builder: historytest.New("conflict/changed")}
	in := s.Intent()
	s.Answered(in, "first", 201, `{"id":"t-1"}`)
	early := s.refuse(in, "changed")
	answer(409, "{}")(early)
	s.Answered(in, "settled", 201, `{"id":"t-1"}`)
	s.changed = s.refuse(in, "changed")
	s.refuse(in, "changed-again")
	s.Saw(in, history.Resource, "after", 1, "t-1")
	s.Answered(s.Intent(), "control", 201, `{"id":"t-3"}`)
}

func TestNoEffect(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*story)
		with   []func(*contract.Contract)
		want   verdict.Outcome
	}{
		"refused":                             {func(*story) {}, nil, pass},
		"refused, yet executed":               {func(s *story) { s.seen.Count = 2 }, nil, fail},
		"executed late":                       {func(s *story) { s.Saw(s.in, history.Resource, "final", 2, "t-1", "t-9") }, nil, fail},
		"executed, as declared":               {func(s *story) { s.each(answer(201, `{"id":"t-9"}`)); s.seen.Count = 2 }, []func(*contract.Contract){mismatch(contract.Response{Action: "execute"})}, fail},
		"booked downstream":                   {func(s *story) { s.Saw(s.in, history.Ledger, "after", 2) }, nil, fail},
		"the balance moved by another amount": {func(s *story) { s.Saw(s.in, history.Value, "after", 1).Odd = "1.5" }, nil, fail},
		"the balance moved once more":         {func(s *story) { s.balance("before", "10"); s.balance("first", "20"); s.balance("after", "35") }, nil, fail},
		"the balance moved late":              {func(s *story) { s.balance("first", "20"); s.balance("after", "20.0"); s.balance("final", "35") }, nil, fail},
		"the balance stood still":             {func(s *story) { s.balance("before", "10"); s.balance("first", "20"); s.balance("after", "20.0") }, nil, pass},
		"written over the first one":          {func(s *story) { answer(200, list("high"))(s.after) }, nil, fail},
		"another ticket changed its priority": {func(s *story) {
			answer(200, `{"tickets":[{"id":"t-0","title":"marker-0","priority":"low"},{"id":"t-1","title":"marker-1","priority":"low"}]}`)(s.after)
		}, nil, pass},
		"replayed: no effect":                 {func(s *story) { s.each(answer(201, `{"id":"t-1"}`)); lost(s.control) }, nil, pass},
		"the original made a second one":      {func(s *story) { s.keptSeen.Count = 2 }, nil, pass},
		"the first vanished":                  {func(s *story) { s.seen.Count = 0 }, nil, fail},
		"refused under a fresh key too":       {func(s *story) { answer(422, refusalBody)(s.control) }, nil, inconclusive},
		"executed, whatever the control says": {func(s *story) { s.seen.Count = 2; lost(s.control) }, nil, fail},
		"the list could not be read":          {func(s *story) { s.seen.Error = "500" }, nil, inconclusive},
		"no changed payload was answered":     {func(s *story) { lost(s.changed); lost(s.again) }, nil, inconclusive},
		"the first was refused":               {func(s *story) { answer(403, "{}")(s.first) }, nil, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := conflicted()
			tc.change(s)
			ruletest.Expect(t, Rules(), "conflict/no-effect", tc.want, ruletest.IETF(t, tc.with...), s.History())
		})
	}
}

func (s *story) balance(moment, value string) {
	s.Saw(s.in, history.Value, moment, 1).Value = value
}

func TestOriginalIntact(t *testing.T) {
	t.Parallel()
	effectOnly := func(c *contract.Contract) { c.Fidelity = contract.FidelityEffect }
	for name, tc := range map[string]struct {
		change func(*story)
		with   []func(*contract.Contract)
		want   verdict.Outcome
	}{
		"it still replays":                        {func(*story) {}, nil, pass},
		"it is refused now":                       {func(s *story) { answer(422, refusalBody)(s.original) }, nil, fail},
		"it is refused now, only effect declared": {func(s *story) { answer(422, refusalBody)(s.original) }, []func(*contract.Contract){effectOnly}, fail},
		"it was refused before too":               {func(s *story) { answer(400, "{}")(s.retry); answer(400, "{}")(s.original) }, []func(*contract.Contract){effectOnly}, pass},
		"it answers for the changed payload":      {func(s *story) { answer(201, `{"id":"t-9"}`)(s.original) }, nil, fail},
		"it was executed again":                   {func(s *story) { s.keptSeen.Count = 2 }, nil, fail},
		"replays differ from the first anyway": {func(s *story) {
			answer(200, `{"id":"t-2","again":true}`)(s.retry)
			answer(200, `{"id":"t-2","again":true}`)(s.original)
		}, nil, pass},
		"for ever in flight":           {func(s *story) { answer(409, "{}")(s.original) }, nil, fail},
		"it was lost":                  {func(s *story) { lost(s.original) }, nil, inconclusive},
		"the retry before was lost":    {func(s *story) { lost(s.retry) }, nil, inconclusive},
		"the first was refused":        {func(s *story) { answer(403, "{}")(s.keptFirst) }, nil, inconclusive},
		"the list could not be read":   {func(s *story) { s.keptSeen.Error = "500" }, nil, inconclusive},
		"executed under the other key": {func(s *story) { s.seen.Count = 2 }, nil, pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := conflicted()
			tc.change(s)
			ruletest.Expect(t, Rules(), "conflict/original-intact", tc.want, ruletest.IETF(t, tc.with...), s.History())
		})
	}
}

func TestRepeatable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*story)
		want   verdict.Outcome
	}{
		"the same refusal":               {func(*story) {}, pass},
		"with another time and id in it": {func(s *story) { answer(422, `{"instance":"/errors/2"}`)(s.again) }, pass},
		"another status":                 {func(s *story) { answer(409, "{}")(s.again) }, fail},
		"then executed":                  {func(s *story) { answer(201, "{}")(s.again) }, fail},
		"then broken":                    {func(s *story) { answer(500, "{}")(s.again) }, fail},
		"then lost":                      {func(s *story) { lost(s.again) }, inconclusive},
		"never refused":                  {func(s *story) { s.each(answer(201, "{}")) }, notAssessed},
		"refused under a fresh key too":  {func(s *story) { answer(400, "{}")(s.control) }, inconclusive},
		"told to come back first":        {func(s *story) { s.comeBack() }, pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := conflicted()
			tc.change(s)
			ruletest.Expect(t, Rules(), "conflict/repeatable", tc.want, ruletest.IETF(t), s.History())
		})
	}
}

func TestExplained(t *testing.T) {
	t.Parallel()
	plain := func(a *history.Attempt) { a.Answer.Header["Content-Type"] = []string{"application/json"} }
	for name, tc := range map[string]struct {
		change func(*story)
		errors string
		want   verdict.Outcome
	}{
		"problem details":             {func(*story) {}, "either", pass},
		"problem details as declared": {func(*story) {}, "problem+json", pass},
		"with a charset": {func(s *story) {
			s.each(func(a *history.Attempt) {
				a.Answer.Header["Content-Type"] = []string{"Application/Problem+JSON; charset=utf-8"}
			})
		}, "either", pass},
		"neither":                   {func(s *story) { s.each(plain) }, "either", fail},
		"neither, the vendor's own": {func(s *story) { s.each(plain) }, "vendor", notAssessed},
		"a link": {func(s *story) {
			s.each(plain)
			s.each(func(a *history.Attempt) { a.Answer.Header["Link"] = []string{`<https://docs.example>; rel="help"`} })
		}, "either", pass},
		"a link is declared":             {func(*story) {}, "link", fail},
		"the name without the document":  {func(s *story) { s.each(answer(422, "no")) }, "either", fail},
		"another status needs no reason": {func(s *story) { s.each(answer(403, "{}")) }, "either", notAssessed},
		"executed":                       {func(s *story) { s.each(answer(201, "{}")) }, "either", notAssessed},
		"lost":                           {func(s *story) { s.each(lost) }, "either", inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := conflicted()
			tc.change(s)
			ruletest.Expect(t, Rules(), "conflict/explained", tc.want, ruletest.IETF(t, func(c *contract.Contract) { c.Errors = tc.errors }), s.History())
		})
	}
}

// A reading from before the changed payload, or before the original's last attempt, tells nothing of what that did.
func TestConflictsAreReadAfterwards(t *testing.T) {
	t.Parallel()
	s := conflicted()
	ruletest.Expect(t, Rules(), "conflict/no-effect", inconclusive, ruletest.IETF(t), ruletest.ReadEarly(s.History(), s.again))
	s = conflicted()
	ruletest.Expect(t, Rules(), "conflict/original-intact", inconclusive, ruletest.IETF(t), ruletest.ReadEarly(s.History(), s.original))
}
