package key

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

type foreign struct {
	*historytest.Builder
	in, alien                    *history.Intent
	first, other, fresh, control *history.Attempt
	idle, after, seen            *history.Observation
}

func TestOtherPrincipal(t *testing.T) {
	t.Parallel()
	const mine = `{"id":"t-1","title":"marker-1"}`
	stored := func(s *foreign) { answer(201, mine)(s.other); s.after.Count, s.after.IDs = 0, nil }
	refused := func(s *foreign) { answer(422, "{}")(s.other); s.after.Count, s.after.IDs = 0, nil }
	blind := func(s *foreign) { s.after.Count, s.after.IDs, s.seen.Count, s.seen.IDs = 0, nil, 0, nil }
	// The last count holds the write under the fresh key, and the other principal's one if there is any.
	behind := func(last int) func(*foreign) {
		return func(s *foreign) {
			s.after.Count, s.after.IDs = 0, nil
			s.Saw(s.alien, history.Resource, "final", last)
		}
	}
	for name, tc := range map[string]struct {
		change func(*foreign)
		with   with
		want   verdict.Outcome
	}{
		"its own operation":                           {func(*foreign) {}, ietf, pass},
		"its own operation, scope global":             {func(*foreign) {}, scopes(contract.Global), pass},
		"the stored answer":                           {stored, ietf, fail},
		"the stored answer, scope global":             {stored, scopes(contract.Global), fail},
		"a success of nothing":                        {func(s *foreign) { answer(200, `{}`)(s.other); s.after.Count = 0 }, ietf, fail},
		"its own operation, on a list that is behind": {behind(2), ietf, pass},
		"a success of nothing, on such a list":        {behind(1), ietf, fail},
		"refused, scope global":                       {refused, scopes(contract.Global), pass},
		"refused, scope left open":                    {refused, scopes(), pass},
		"refused, scope account":                      {refused, scopes(contract.Account), fail},
		"refused, yet executed":                       {func(s *foreign) { answer(422, "{}")(s.other) }, ietf, fail},
		"refused with the stored answer":              {func(s *foreign) { refused(s); answer(409, mine)(s.other) }, scopes(contract.Global), fail},
		"it breaks":                                   {func(s *foreign) { refused(s); answer(500, "{}")(s.other) }, ietf, fail},
		"the other may not send that payload":         {func(s *foreign) { refused(s); answer(404, "{}")(s.fresh) }, scopes(contract.Account), notAssessed},
		"the other has no parent to send it to":       {func(s *foreign) { s.other.Label = "-" }, ietf, notAssessed},
		"the other may not write at all":              {func(s *foreign) { refused(s); answer(403, "{}")(s.control) }, ietf, inconclusive},
		"the stored answer to one who may not write":  {func(s *foreign) { stored(s); answer(403, "{}")(s.control) }, ietf, fail},
		"what the other writes is not seen":           {blind, ietf, notAssessed},
		"not seen, but the stored answer":             {func(s *foreign) { blind(s); answer(201, mine)(s.other) }, ietf, fail},
		"each tenant counts from one":                 {func(s *foreign) { answer(201, mine)(s.other); s.after.IDs = []string{"t-1"} }, ietf, pass},
		"lost":                                        {func(s *foreign) { lost(s.other) }, ietf, inconclusive},
		"the first was lost":                          {func(s *foreign) { lost(s.first) }, ietf, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &foreign{Builder: historytest.New("key/scope").Trial("principal")}
			s.in, s.alien = s.Intent(), s.Intent()
			s.alien.Key, s.alien.Markers, s.alien.TwinOf, s.alien.Tenant = s.in.Key, s.in.Markers, s.in.ID, "globex"
			s.first = s.Answered(s.in, "first", 201, mine)
			s.Saw(s.in, history.Resource, "first", 1, "t-1")
			s.idle = s.Saw(s.alien, history.Resource, "idle", 0)
			s.other = s.Answered(s.alien, "other-principal", 201, `{"id":"t-2","title":"marker-1"}`)
			s.after = s.Saw(s.alien, history.Resource, "after", 1, "t-2")
			s.fresh = s.Answered(s.Intent(), "fresh", 201, `{"id":"t-3","title":"marker-1"}`)
			own := s.Intent()
			s.control = s.Answered(own, "control", 201, `{"id":"t-4","title":"marker-4"}`)
			s.seen = s.Saw(own, history.Resource, "after", 1, "t-4")
			tc.change(s)
			if name == "the other may not send that payload" {
				// A write of its own is what tells then.
				own := ownWrite(422, 0)
				ruletest.Expect(t, Rules(), "key/other-principal", fail, ruletest.IETF(t, tc.with), s.History(), own)
			}
			ruletest.Expect(t, Rules(), "key/other-principal", tc.want, ruletest.IETF(t, tc.with), s.History())
		})
	}
}

// ownWrite is the trial in which the other principal uses the key for a write of its own.
func ownWrite(status, effects int) *history.History {
	b := historytest.New("key/scope").Trial("principal-own")
	in, alien, own := b.Intent(), b.Intent(), b.Intent()
	alien.Key, alien.Tenant = in.Key, "globex"
	b.Answered(in, "first", 201, `{"id":"t-1","title":"marker-1"}`)
	b.Saw(in, history.Resource, "first", 1, "t-1")
	b.Saw(alien, history.Resource, "idle", 0)
	b.Answered(alien, "other-principal", status, `{"id":"t-2","title":"marker-2"}`)
	b.Saw(alien, history.Resource, "after", effects)
	b.Answered(own, "control", 201, `{"id":"t-4","title":"marker-3"}`)
	b.Saw(own, history.Resource, "after", 1, "t-4")
	return b.History()
}

func TestOtherPrincipalsOwnWrite(t *testing.T) {
	t.Parallel()
	account := scopes(contract.Account)
	ruletest.Expect(t, Rules(), "key/other-principal", pass, ruletest.IETF(t, account), ownWrite(201, 1))
	ruletest.Expect(t, Rules(), "key/other-principal", fail, ruletest.IETF(t, account), ownWrite(422, 0))
	ruletest.Expect(t, Rules(), "key/other-principal", fail, ruletest.IETF(t, account), ownWrite(201, 0))
	ruletest.Expect(t, Rules(), "key/other-principal", pass, ruletest.IETF(t, scopes(contract.Global)), ownWrite(422, 0))
}

func TestOtherOperation(t *testing.T) {
	t.Parallel()
	const mine = `{"id":"t-1","title":"marker-1"}`
	refused := func(s *foreign) { answer(422, "{}")(s.other); s.after.Count, s.after.IDs = 0, nil }
	stored := func(s *foreign) { answer(201, mine)(s.other); s.after.Count, s.after.IDs = 0, nil }
	unseen := func(s *foreign) { s.after.Count, s.seen.Count = 0, 0 }
	for name, tc := range map[string]struct {
		change func(*foreign)
		with   with
		want   verdict.Outcome
		level  verdict.Level
	}{
		"its own":                              {func(*foreign) {}, ietf, pass, ""},
		"its own, as declared":                 {func(*foreign) {}, other(do("independent")), pass, ""},
		"its own, though refusal is declared":  {func(*foreign) {}, other(refuse(400)), fail, verdict.Should},
		"refused, left open":                   {refused, ietf, pass, ""},
		"refused, scope route":                 {refused, scopes(contract.Route), fail, verdict.Should},
		"refused, scope account":               {refused, scopes(contract.Account), pass, ""},
		"refused, independence declared":       {refused, other(do("independent")), fail, verdict.Should},
		"refused as declared":                  {refused, other(refuse(422)), pass, ""},
		"refused with another status":          {refused, other(refuse(400)), fail, verdict.Should},
		"refused, yet executed":                {func(s *foreign) { answer(422, "{}")(s.other) }, ietf, fail, ""},
		"the other operation's answer":         {stored, ietf, fail, ""},
		"the other operation's answer, unseen": {func(s *foreign) { stored(s); unseen(s) }, ietf, fail, ""},
		"a success of nothing":                 {func(s *foreign) { answer(200, `{}`)(s.other); s.after.Count = 0 }, ietf, fail, ""},
		"nothing is seen of it":                {unseen, ietf, pass, ""},
		"it breaks":                            {func(s *foreign) { refused(s); answer(500, "{}")(s.other) }, ietf, fail, ""},
		"it is refused under a fresh key too":  {func(s *foreign) { refused(s); answer(403, "{}")(s.control) }, ietf, inconclusive, ""},
		"lost":                                 {func(s *foreign) { lost(s.other) }, ietf, inconclusive, ""},
		"the first was lost":                   {func(s *foreign) { lost(s.first) }, ietf, inconclusive, ""},
		"marked as a replay":                   {func(s *foreign) { s.other.Answer.Header["Idempotent-Replayed"] = []string{"true"} }, func(c *contract.Contract) { c.Marker.Name = "Idempotent-Replayed" }, fail, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &foreign{Builder: historytest.New("key/scope").Trial("operation")}
			s.in, s.alien = s.Intent(), s.Intent()
			s.alien.Key, s.alien.Operation = s.in.Key, "create-other"
			s.first = s.Answered(s.in, "first", 201, mine)
			s.Saw(s.in, history.Resource, "first", 1, "t-1")
			s.other = s.Answered(s.alien, "other-operation", 201, `{"id":"o-2"}`)
			s.other.Request.URL = "/others"
			s.after = s.Saw(s.alien, history.Resource, "after", 1, "o-2")
			own := s.Intent()
			s.control = s.Answered(own, "control", 201, `{"id":"o-3"}`)
			s.seen = s.Saw(own, history.Resource, "after", 1, "o-3")
			tc.change(s)
			f := ruletest.Expect(t, Rules(), "key/other-operation", tc.want, ruletest.IETF(t, tc.with), s.History())
			if f.Level != tc.level {
				t.Errorf("expected level %q, found %q: %s", tc.level, f.Level, f.Detail)
			}
		})
	}
}

func TestSafeMethod(t *testing.T) {
	t.Parallel()
	type scene struct {
		*historytest.Builder
		plain, keyed, first, later, used, control *history.Attempt
		seen                                      *history.Observation
	}
	for name, tc := range map[string]struct {
		change func(*scene)
		want   verdict.Outcome
	}{
		"ignored":                            {func(*scene) {}, pass},
		"refused for its key":                {func(s *scene) { answer(400, "{}")(s.keyed) }, fail},
		"it breaks":                          {func(s *scene) { answer(500, "{}")(s.keyed) }, fail},
		"a conflict once the key is used":    {func(s *scene) { answer(422, "{}")(s.used) }, fail},
		"the write's answer, status and all": {func(s *scene) { answer(201, `{"id":"t-1"}`)(s.used) }, fail},
		"the write's answer as a 200":        {func(s *scene) { answer(200, `{"id":"t-1"}`)(s.used) }, fail},
		"the key is used up":                 {func(s *scene) { answer(422, "{}")(s.first); s.seen.Count = 0 }, fail},
		"the GET's answer for the write":     {func(s *scene) { answer(200, `{"tickets":[]}`)(s.first); s.seen.Count = 0 }, fail},
		"no write is accepted":               {func(s *scene) { answer(403, "{}")(s.first); answer(403, "{}")(s.control) }, inconclusive},
		"a GET was lost":                     {func(s *scene) { lost(s.keyed) }, inconclusive},
		"the write was lost":                 {func(s *scene) { lost(s.first) }, inconclusive},
		"a GET is no use here":               {func(s *scene) { answer(405, "{}")(s.plain); answer(405, "{}")(s.keyed) }, notAssessed},
		"the path needs the first answer":    {func(s *scene) { s.plain.Label, s.keyed.Label = "-", "-" }, pass},
		"nothing to GET":                     {func(s *scene) { s.first.Label = "-" }, notAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scene{Builder: historytest.New("key/scope").Trial("safe-method")}
			in := s.Intent()
			s.plain = s.Answered(in, "get-plain", 200, `{"tickets":[]}`)
			s.keyed = s.Answered(in, "get-with-key", 200, `{"tickets":[]}`)
			s.first = s.Answered(in, "first", 201, `{"id":"t-1"}`)
			s.seen = s.Saw(in, history.Resource, "first", 1, "t-1")
			s.later = s.Answered(in, "get-plain-later", 200, `{"tickets":[{"id":"t-1"}]}`)
			s.used = s.Answered(in, "get-with-used-key", 200, `{"tickets":[{"id":"t-1"}]}`)
			s.control = s.Answered(s.Intent(), "control", 201, `{"id":"t-2"}`)
			tc.change(s)
			ruletest.Expect(t, Rules(), "key/safe-method", tc.want, ruletest.IETF(t), s.History())
		})
	}
}

func TestInPath(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status, resources, bookings int
		want                        verdict.Outcome
	}{
		"one effect":           {200, 1, 1, pass},
		"404 after a deletion": {404, 1, 1, pass},
		"two resources":        {200, 2, 1, fail},
		"booked again":         {200, 1, 2, fail},
		"it vanished":          {200, 0, 1, fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New("key/in-path")
			in := b.Intent()
			b.Answered(in, "first", 201, "{}")
			b.Answered(in, "retry", tc.status, "{}")
			b.Answered(in, "retry", tc.status, "{}")
			b.Saw(in, history.Resource, "after", tc.resources)
			b.Saw(in, history.Ledger, "after", tc.bookings)
			ruletest.Expect(t, Rules(), "key/in-path", tc.want, ruletest.IETF(t), b.History())
		})
	}
}
