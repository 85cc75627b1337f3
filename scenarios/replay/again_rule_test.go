package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestOneEffectIsJudgedByStateAlone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change                      func(*story)
		resource, value, downstream verdict.Outcome
	}{
		"one effect":                            {func(*story) {}, pass, pass, pass},
		"two resources behind equal answers":    {func(s *story) { s.seen.Count, s.seen.IDs = 2, []string{"t-1", "t-2"} }, fail, pass, pass},
		"the balance moved again":               {func(s *story) { s.value.Count = 11 }, pass, fail, pass},
		"the balance moved by a fraction":       {func(s *story) { s.value.Odd = "1.5" }, pass, fail, pass},
		"booked again":                          {func(s *story) { s.calls.Count = 2 }, pass, pass, fail},
		"a duplicate that went away again":      {func(s *story) { s.seen.Count = 2; s.Saw(s.in, history.Resource, "final", 1, "t-1") }, fail, pass, pass},
		"a late duplicate":                      {func(s *story) { s.Saw(s.in, history.Resource, "final", 2, "t-1", "t-2") }, fail, pass, pass},
		"acknowledged, but not there":           {func(s *story) { s.seen.Count, s.seen.IDs = 0, nil }, fail, pass, pass},
		"the list could not be read":            {func(s *story) { s.seen.Error = "500" }, inconclusive, pass, pass},
		"one write books twice, retried or not": {func(s *story) { s.calls.Count = 2; s.Saw(s.once, history.Ledger, "final", 2) }, pass, pass, pass},
		"no retry was answered":                 {func(s *story) { s.each(lost) }, inconclusive, inconclusive, inconclusive},
		"the first was refused":                 {func(s *story) { answer(403, "{}")(s.first) }, inconclusive, inconclusive, inconclusive},
		"duplicates are refused":                {func(s *story) { s.each(answer(409, "{}")) }, pass, pass, pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			tc.change(s)
			for part, want := range map[string]verdict.Outcome{"resource": tc.resource, "value": tc.value, "downstream": tc.downstream} {
				ruletest.ExpectPart(t, Rules(), "replay/one-effect", part, want, ruletest.IETF(t), s.History())
			}
		})
	}
}

func TestOneEffectLeavesOutWhatNoProbeSees(t *testing.T) {
	t.Parallel()
	b := historytest.New("replay/again")
	in := b.Intent()
	b.Answered(in, "first", 201, `{"id":"t-1"}`)
	b.Answered(in, "retry", 201, `{"id":"t-1"}`)
	b.Saw(in, history.Resource, "after", 1, "t-1")
	ruletest.ExpectPart(t, Rules(), "replay/one-effect", "value", notAssessed, ruletest.IETF(t), b.History())
	ruletest.ExpectPart(t, Rules(), "replay/one-effect", "downstream", notAssessed, ruletest.IETF(t), b.History())
	ruletest.ExpectPart(t, Rules(), "replay/one-effect", "resource", pass, ruletest.IETF(t), b.History())
}

func TestProofIsWeakWhereTheLinkSawNothing(t *testing.T) {
	t.Parallel()
	s := replayed()
	s.first.Link = history.Link{}
	f := ruletest.Expect(t, Rules(), "replay/same-status", pass, ruletest.IETF(t), s.History())
	if f.Proof != verdict.Weak {
		t.Errorf("expected a weak proof, found %s", f.Proof)
	}
}

func TestAnswered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change   func(*story)
		fidelity contract.Fidelity
		want     verdict.Outcome
	}{
		"replayed":                              {func(*story) {}, "status+body", pass},
		"refused":                               {func(s *story) { answer(400, `{}`)(s.retry) }, "status+body", fail},
		"refused, the resource is promised":     {func(s *story) { answer(400, `{}`)(s.retry) }, "resource", pass},
		"it broke once":                         {func(s *story) { answer(500, `{}`)(s.retry) }, "status+body", pass},
		"for ever in flight":                    {func(s *story) { s.each(answer(409, `{}`)) }, "status+body", fail},
		"for ever in flight, the resource too":  {func(s *story) { s.each(answer(409, `{}`)) }, "resource", fail},
		"in flight, only the effect promised":   {func(s *story) { s.each(answer(409, `{}`)) }, "effect", notAssessed},
		"500 on every retry":                    {func(s *story) { s.each(answer(500, `{}`)) }, "status+body", fail},
		"503 on every retry":                    {func(s *story) { s.each(answer(503, `{}`)) }, "status+body", fail},
		"500 on every retry, only the effect":   {func(s *story) { s.each(answer(500, `{}`)) }, "effect", fail},
		"one retry was lost":                    {func(s *story) { lost(s.retry) }, "status+body", inconclusive},
		"asked to slow down":                    {func(s *story) { s.each(answer(429, `{}`)) }, "status+body", inconclusive},
		"the first was lost, there is no retry": {func(s *story) { lost(s.first) }, "status+body", inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			tc.change(s)
			ruletest.Expect(t, Rules(), "replay/answered", tc.want, ruletest.IETF(t, fidelity(tc.fidelity)), s.History())
		})
	}
}

func TestSameAnswer(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", large+1)
	for name, tc := range map[string]struct {
		change                func(*story)
		contract              []func(*contract.Contract)
		status, body, headers verdict.Outcome
	}{
		"the same":                            {func(*story) {}, nil, pass, pass, pass},
		"201 becomes 200":                     {func(s *story) { s.retry.Answer.Status = 200 }, nil, fail, pass, pass},
		"another id":                          {func(s *story) { answer(201, `{"id":"t-2"}`)(s.retry) }, nil, pass, fail, pass},
		"another order and spelling":          {func(s *story) { answer(201, ` {"price":10.5,"title":"marker-2","id":"t-1"}`)(s.retry) }, nil, pass, pass, pass},
		"another amount far behind the point": {func(s *story) { answer(201, strings.Replace(ticket, "10.50", "10.5000000000000000001", 1))(s.retry) }, nil, pass, fail, pass},
		"a clock that is declared": {func(s *story) {
			answer(201, `{"id":"t-1","at":1}`)(s.first)
			answer(201, `{"id":"t-1","at":2}`)(s.retry)
		}, []func(*contract.Contract){volatile("/at")}, pass, pass, pass},
		"a clock that is not declared": {func(s *story) {
			answer(201, `{"id":"t-1","at":1}`)(s.first)
			answer(201, `{"id":"t-1","at":2}`)(s.retry)
		}, nil, pass, fail, pass},
		"only the clock declared, the id differs": {func(s *story) {
			answer(201, `{"id":"t-1","at":1}`)(s.first)
			answer(201, `{"id":"t-2","at":2}`)(s.retry)
		}, []func(*contract.Contract){volatile("/at")}, pass, fail, pass},
		"a long body that differs late":            {func(s *story) { truncate(s.first, big); truncate(s.retry, big+"y") }, nil, pass, fail, pass},
		"a long equal body":                        {func(s *story) { truncate(s.first, big); truncate(s.retry, big) }, nil, pass, pass, pass},
		"a long body with a clock":                 {func(s *story) { truncate(s.first, big); truncate(s.retry, big+"y") }, []func(*contract.Contract){volatile("/at")}, pass, inconclusive, pass},
		"a secret that is redacted here":           {func(s *story) { s.retry.Answer.Body.SHA256 = "other" }, nil, pass, fail, pass},
		"Location is gone":                         {func(s *story) { delete(s.retry.Answer.Header, "Location") }, nil, pass, pass, fail},
		"Location through another port":            {func(s *story) { s.retry.Answer.Header["Location"] = []string{"http://127.0.0.1:999/things/t-1"} }, nil, pass, pass, pass},
		"another content type":                     {func(s *story) { s.retry.Answer.Header["Content-Type"] = []string{"text/plain"} }, nil, pass, pass, fail},
		"another spelling of the type":             {func(s *story) { s.retry.Answer.Header["Content-Type"] = []string{"Application/JSON"} }, nil, pass, pass, pass},
		"other cookies and dates":                  {func(s *story) { s.retry.Answer.Header["Set-Cookie"] = []string{"a=b"} }, nil, pass, pass, pass},
		"refused although replays are declared":    {func(s *story) { answer(400, `{}`)(s.retry) }, nil, fail, notAssessed, notAssessed},
		"for ever in flight":                       {func(s *story) { s.each(answer(409, `{}`)) }, nil, notAssessed, notAssessed, notAssessed},
		"500 on every retry":                       {func(s *story) { s.each(answer(500, `{}`)) }, nil, fail, notAssessed, notAssessed},
		"503 on every retry":                       {func(s *story) { s.each(answer(503, `{}`)) }, nil, notAssessed, notAssessed, notAssessed},
		"one retry was lost":                       {func(s *story) { lost(s.retry) }, nil, inconclusive, inconclusive, inconclusive},
		"asked to slow down":                       {func(s *story) { s.each(answer(429, `{}`)) }, nil, inconclusive, inconclusive, inconclusive},
		"the first was lost":                       {func(s *story) { lost(s.first) }, nil, inconclusive, inconclusive, inconclusive},
		"only the effect is promised, 409":         {func(s *story) { s.each(answer(409, `{}`)) }, []func(*contract.Contract){fidelity("effect")}, notAssessed, notAssessed, notAssessed},
		"nothing is promised, another body":        {func(s *story) { answer(200, `{"duplicate":true}`)(s.retry) }, []func(*contract.Contract){fidelity("")}, notAssessed, notAssessed, notAssessed},
		"only the effect is promised, 500":         {func(s *story) { s.each(answer(500, `{}`)) }, []func(*contract.Contract){fidelity("effect")}, fail, notAssessed, notAssessed},
		"the resource is promised, refusal names":  {func(s *story) { answer(400, `{"existing":"t-1"}`)(s.retry) }, []func(*contract.Contract){fidelity("resource")}, notAssessed, pass, notAssessed},
		"the resource is promised, link names":     {func(s *story) { answer(400, `{"see":"/things/t-1?x=1"}`)(s.retry) }, []func(*contract.Contract){fidelity("resource")}, notAssessed, pass, notAssessed},
		"the resource is promised, bare refusal":   {func(s *story) { answer(400, `{}`)(s.retry); s.retry.Answer.Header = nil }, []func(*contract.Contract){fidelity("resource")}, notAssessed, fail, notAssessed},
		"the resource is promised, ids unknown":    {func(s *story) { s.seen.IDs = nil }, []func(*contract.Contract){fidelity("resource")}, notAssessed, notAssessed, notAssessed},
		"the resource is promised, current answer": {func(s *story) { answer(200, `{"id":"t-1","state":"open"}`)(s.retry) }, []func(*contract.Contract){fidelity("resource")}, notAssessed, pass, notAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			tc.change(s)
			c := ruletest.IETF(t, tc.contract...)
			ruletest.Expect(t, Rules(), "replay/same-status", tc.status, c, s.History())
			ruletest.Expect(t, Rules(), "replay/same-body", tc.body, c, s.History())
			ruletest.Expect(t, Rules(), "replay/same-headers", tc.headers, c, s.History())
		})
	}
}

// truncate gives an attempt a body of which only a head is recorded.
func truncate(a *history.Attempt, whole string) {
	a.Answer.Body = historytest.Body(whole)
	a.Answer.Body.Text, a.Answer.Body.Truncated = whole[:1000], true
}

func TestARetryThatWasToldToComeBackCountsOnceItIsAnswered(t *testing.T) {
	t.Parallel()
	b := historytest.New("replay/again")
	in := b.Intent()
	b.Answered(in, "first", 201, ticket)
	b.Answered(in, "retry", 409, `{}`)
	b.Answered(in, "retry", 201, ticket)
	ruletest.Expect(t, Rules(), "replay/same-status", pass, ruletest.IETF(t), b.History())
	ruletest.Expect(t, Rules(), "replay/same-body", pass, ruletest.IETF(t), b.History())
}

func TestMarker(t *testing.T) {
	t.Parallel()
	const name = "Idempotent-Replayed"
	set := func(value string) func(*history.Attempt) {
		return func(a *history.Attempt) { a.Answer.Header[name] = []string{value} }
	}
	for label, tc := range map[string]struct {
		change func(*story)
		marker contract.Marker
		want   verdict.Outcome
	}{
		"on replays only":                      {func(*story) {}, contract.Marker{Name: name, Value: "true"}, pass},
		"none declared":                        {func(*story) {}, contract.Marker{}, notAssessed},
		"missing on a replay":                  {func(s *story) { delete(s.retry.Answer.Header, name) }, contract.Marker{Name: name, Value: "true"}, fail},
		"missing on the tenth":                 {func(s *story) { delete(s.more[8].Answer.Header, name) }, contract.Marker{Name: name, Value: "true"}, fail},
		"another value":                        {func(s *story) { s.each(set("1")) }, contract.Marker{Name: name, Value: "true"}, fail},
		"any value":                            {func(s *story) { s.each(set("1")) }, contract.Marker{Name: name}, pass},
		"on the first too":                     {func(s *story) { set("true")(s.first) }, contract.Marker{Name: name, Value: "true"}, fail},
		"on the first too, as declared":        {func(s *story) { set("true")(s.first) }, contract.Marker{Name: name, Value: "true", OnFirst: "same"}, pass},
		"not on the first, though declared":    {func(*story) {}, contract.Marker{Name: name, Value: "true", OnFirst: "same"}, fail},
		"false on the first, left open":        {func(s *story) { set("false")(s.first) }, contract.Marker{Name: name, Value: "true"}, pass},
		"false on the first, absent declared":  {func(s *story) { set("false")(s.first) }, contract.Marker{Name: name, Value: "true", OnFirst: "absent"}, fail},
		"false on the first, as declared":      {func(s *story) { set("false")(s.first) }, contract.Marker{Name: name, Value: "true", OnFirst: "false"}, pass},
		"nothing on the first, false declared": {func(*story) {}, contract.Marker{Name: name, Value: "true", OnFirst: "false"}, fail},
		"duplicates are refused":               {func(s *story) { s.each(answer(400, "{}")) }, contract.Marker{Name: name, Value: "true"}, notAssessed},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			tc.change(s)
			ruletest.Expect(t, Rules(), "replay/marker", tc.want, ruletest.IETF(t, marked(tc.marker)), s.History())
		})
	}
}

func TestManyTimes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change   func(*story)
		fidelity contract.Fidelity
		want     verdict.Outcome
	}{
		"all alike":                              {func(*story) {}, "status+body", pass},
		"the second is refused":                  {func(s *story) { answer(409, "{}")(s.more[0]) }, "status+body", fail},
		"the tenth has another id":               {func(s *story) { answer(201, `{"id":"t-9"}`)(s.more[8]) }, "status+body", fail},
		"the tenth has another status":           {func(s *story) { s.more[8].Answer.Status = 200 }, "status+body", fail},
		"another status, effect only":            {func(s *story) { s.more[8].Answer.Status = 200 }, "effect", pass},
		"the second is refused, effect only":     {func(s *story) { answer(410, "{}")(s.more[0]) }, "effect", fail},
		"the tenth breaks, effect only":          {func(s *story) { answer(500, "{}")(s.more[8]) }, "effect", fail},
		"all refused alike":                      {func(s *story) { s.each(answer(409, "{}")) }, "effect", pass},
		"the tenth names another resource":       {func(s *story) { answer(200, `{"id":"t-9"}`)(s.more[8]); s.more[8].Answer.Header = nil }, "resource", fail},
		"the tenth was lost":                     {func(s *story) { lost(s.more[8]) }, "status+body", inconclusive},
		"the tenth was asked to slow down":       {func(s *story) { answer(429, "{}")(s.more[8]) }, "status+body", inconclusive},
		"lost once, and once with another body":  {func(s *story) { lost(s.more[2]); answer(201, `{"id":"t-9"}`)(s.more[8]) }, "status+body", fail},
		"each answer tells the count of retries": {func(s *story) { answer(201, `{"id":"t-1","seen":2}`)(s.more[0]) }, "resource", pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			tc.change(s)
			ruletest.Expect(t, Rules(), "replay/many-times", tc.want, ruletest.IETF(t, fidelity(tc.fidelity)), s.History())
		})
	}
}

func TestNoBody(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change   func(*story)
		fidelity contract.Fidelity
		want     verdict.Outcome
	}{
		"it has a body":             {func(*story) {}, "status+body", notAssessed},
		"204 replays":               {func(s *story) { answer(204, "")(s.first); s.each(answer(204, "")) }, "status+body", pass},
		"202 replays":               {func(s *story) { answer(202, "{}")(s.first); s.each(answer(202, "{}")) }, "status+body", pass},
		"204 is never stored":       {func(s *story) { answer(204, "")(s.first); s.each(answer(409, "{}")) }, "status+body", fail},
		"204 becomes a body":        {func(s *story) { answer(204, "")(s.first); s.each(answer(200, "null")) }, "status+body", fail},
		"duplicates are refused":    {func(s *story) { answer(204, "")(s.first); s.each(answer(409, "{}")) }, "effect", notAssessed},
		"a retry breaks the target": {func(s *story) { answer(204, "")(s.first); s.each(answer(500, "{}")) }, "effect", fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			tc.change(s)
			ruletest.Expect(t, Rules(), "replay/no-body", tc.want, ruletest.IETF(t, fidelity(tc.fidelity)), s.History())
		})
	}
}

func TestLargeBody(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", large+1)
	first := func(s *story) { truncate(s.first, big) }
	for name, tc := range map[string]struct {
		change func(*story)
		want   verdict.Outcome
	}{
		"it is small":              {func(*story) {}, notAssessed},
		"whole":                    {func(s *story) { first(s); truncate(s.retry, big) }, pass},
		"cut":                      {func(s *story) { first(s); truncate(s.retry, big[:large/4]) }, fail},
		"refused":                  {func(s *story) { first(s); s.each(answer(413, "{}")) }, pass},
		"breaks":                   {func(s *story) { first(s); s.each(answer(500, "{}")) }, fail},
		"whole, but executed anew": {func(s *story) { first(s); truncate(s.retry, big); s.seen.Count = 2 }, fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			tc.change(s)
			ruletest.Expect(t, Rules(), "replay/large-body", tc.want, ruletest.IETF(t), s.History())
		})
	}
}

func TestNoDownstream(t *testing.T) {
	t.Parallel()
	again := history.Call{Method: "POST", Path: "/book", Key: "d-1", Repeat: true, Status: 201}
	lookup := history.Call{Method: "GET", Path: "/book/d-1", Lookup: true, Status: 200}
	for name, tc := range map[string]struct {
		change func(*story)
		want   verdict.Outcome
	}{
		"one call":                    {func(*story) {}, pass},
		"repeated, though not booked": {func(s *story) { s.calls.Calls = []history.Call{booked, again} }, fail},
		"looked up":                   {func(s *story) { s.calls.Calls = []history.Call{booked, lookup, lookup} }, pass},
		"called late, once":           {func(s *story) { s.early.Calls = nil }, pass},
		"called late, twice":          {func(s *story) { s.early.Calls = nil; s.calls.Calls = []history.Call{booked, again} }, fail},
		"a call after the last count": {func(s *story) { s.Saw(s.in, history.Ledger, "final", 1).Calls = []history.Call{booked, again} }, fail},
		"two calls a write": {func(s *story) {
			s.calls.Calls = []history.Call{booked, booked}
			s.Saw(s.once, history.Ledger, "final", 2).Calls = []history.Call{booked, booked}
		}, pass},
		"no call at all": {func(s *story) {
			for _, o := range s.History().Observations("") {
				o.Calls = nil
			}
		}, inconclusive},
		"the ledger was not read": {func(s *story) { s.calls.Error = "closed" }, inconclusive},
		"no retry was answered":   {func(s *story) { s.each(lost) }, inconclusive},
		"repeated behind a 503":   {func(s *story) { s.each(answer(503, "{}")); s.calls.Calls = []history.Call{booked, again} }, fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayed()
			tc.change(s)
			ruletest.Expect(t, Rules(), "replay/no-downstream", tc.want, ruletest.IETF(t), s.History())
		})
	}
}

func TestEveryRequirementOfThePackHasARule(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, s := range Scenarios() {
		ids = append(ids, s.ID)
	}
	ruletest.Complete(t, "replay", Rules(), ids...)
}

func Example() {
	for _, s := range Scenarios() {
		fmt.Println(s.ID)
	}
	// Output:
	// replay/again
	// replay/after-change
	// replay/authorised
}
