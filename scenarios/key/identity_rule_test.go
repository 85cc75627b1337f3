package key

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

type pairOfKeys struct {
	*historytest.Builder
	a, b                   *history.Intent
	first, second, control *history.Attempt
	seenA, seenB           *history.Observation
}

func twoKeys(trial string) *pairOfKeys {
	s := &pairOfKeys{Builder: historytest.New("key/identity").Trial(trial)}
	s.a = s.Intent()
	s.first = s.Answered(s.a, "first", 201, `{"id":"t-1"}`)
	s.seenA = s.Saw(s.a, history.Resource, "after", 1, "t-1")
	s.b = s.Intent()
	s.second = s.Answered(s.b, "second", 201, `{"id":"t-2"}`)
	s.seenB = s.Saw(s.b, history.Resource, "after", 1, "t-2")
	s.control = s.Answered(s.Intent(), "control", 201, `{"id":"t-3"}`)
	return s
}

func TestKeysThatDifferALittle(t *testing.T) {
	t.Parallel()
	longest := func(c *contract.Contract) { c.Key.Max = 255 }
	uuids := func(c *contract.Contract) { c.Key.Format = contract.FormatUUID }
	for name, tc := range map[string]struct {
		change        func(*pairOfKeys)
		with          with
		letters, full verdict.Outcome
	}{
		"two effects":                            {func(*pairOfKeys) {}, ietf, pass, pass},
		"the second is a conflict":               {func(s *pairOfKeys) { answer(422, "{}")(s.second); s.seenB.Count = 0 }, ietf, fail, fail},
		"the second is told to come back":        {func(s *pairOfKeys) { answer(409, "{}")(s.second); s.seenB.Count = 0 }, ietf, fail, fail},
		"the second gets the first's answer":     {func(s *pairOfKeys) { answer(201, `{"id":"t-1"}`)(s.second); s.seenB.Count = 0 }, ietf, fail, fail},
		"the second breaks":                      {func(s *pairOfKeys) { answer(500, "{}")(s.second); s.seenB.Count = 0 }, ietf, fail, fail},
		"the second is lost":                     {func(s *pairOfKeys) { lost(s.second) }, ietf, inconclusive, inconclusive},
		"the second is asked to slow down":       {func(s *pairOfKeys) { answer(429, "{}")(s.second) }, ietf, inconclusive, inconclusive},
		"the list could not be read":             {func(s *pairOfKeys) { s.seenB.Error = "500" }, ietf, inconclusive, inconclusive},
		"the first is lost":                      {func(s *pairOfKeys) { lost(s.first) }, ietf, inconclusive, inconclusive},
		"the first is refused":                   {func(s *pairOfKeys) { answer(400, "{}")(s.first) }, ietf, inconclusive, notAssessed},
		"the first is refused, longest declared": {func(s *pairOfKeys) { answer(400, "{}")(s.first) }, longest, inconclusive, fail},
		"no upper case at all":                   {func(s *pairOfKeys) { answer(400, "{}")(s.second); answer(400, "{}")(s.control) }, ietf, notAssessed, fail},
		"UUIDs fold case":                        {func(*pairOfKeys) {}, uuids, notAssessed, pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for trial, want := range map[string]verdict.Outcome{"case": tc.letters, "longest": tc.full} {
				s := twoKeys(trial)
				tc.change(s)
				id := map[string]string{"case": "key/case-matters", "longest": "key/full-length"}[trial]
				ruletest.Expect(t, Rules(), id, want, ruletest.IETF(t, tc.with), s.History())
			}
		})
	}
}

func TestDistinctKeys(t *testing.T) {
	t.Parallel()
	type scene struct {
		*historytest.Builder
		twin                   *history.Intent
		first, second, changed *history.Attempt
		two, three             *history.Observation
	}
	for name, tc := range map[string]struct {
		second, changed int // statuses; changed 0: not sent
		two, three      int // effects then
		change          func(*scene)
		want            verdict.Outcome
	}{
		"two effects":                                 {201, 201, 2, 3, nil, pass},
		"the second is late to be seen":               {201, 201, 1, 2, func(s *scene) { s.Saw(s.twin, history.Resource, "final", 3) }, pass},
		"equal payloads are taken for one":            {201, 201, 1, 2, nil, fail},
		"equal payloads are refused":                  {409, 201, 1, 2, nil, fail},
		"the unique leaf is an identity, refused":     {409, 409, 1, 1, nil, notAssessed},
		"the unique leaf is an identity, found again": {200, 200, 1, 1, nil, notAssessed},
		"nothing tells why":                           {409, 0, 1, 1, nil, notAssessed},
		"two effects, no change to send":              {201, 0, 2, 2, nil, pass},
		"the second is lost":                          {201, 201, 2, 3, func(s *scene) { lost(s.second) }, inconclusive},
		"the changed one is lost":                     {409, 201, 1, 1, func(s *scene) { lost(s.changed) }, inconclusive},
		"the changed one is lost after two effects":   {201, 201, 2, 2, func(s *scene) { lost(s.changed) }, pass},
		"the list could not be read":                  {201, 201, 2, 3, func(s *scene) { s.two.Error = "500" }, inconclusive},
		"the first is lost":                           {201, 201, 2, 3, func(s *scene) { lost(s.first) }, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scene{Builder: historytest.New("key/identity").Trial("twins")}
			in := s.Intent()
			s.twin = s.Intent()
			s.twin.TwinOf, s.twin.Markers = in.ID, in.Markers
			s.first = s.Answered(in, "first", 201, "{}")
			s.Saw(s.twin, history.Resource, "first", 1)
			s.second = s.Answered(s.twin, "second", tc.second, "{}")
			s.two = s.Saw(s.twin, history.Resource, "second", tc.two)
			if tc.changed > 0 {
				s.changed = s.Answered(s.Intent(), "changed", tc.changed, "{}")
				s.three = s.Saw(s.twin, history.Resource, "changed", tc.three)
			}
			if tc.change != nil {
				tc.change(s)
			}
			ruletest.Expect(t, Rules(), "key/distinct-keys", tc.want, ruletest.IETF(t), s.History())
		})
	}
}

func TestCasesDifferInCaseOnly(t *testing.T) {
	t.Parallel()
	if lower, upper, ok := cases(contract.Key{Format: contract.FormatAny}); !ok || lower == upper {
		t.Errorf("expected two keys, found %q and %q", lower, upper)
	}
	for _, syntax := range []contract.Key{{Format: contract.FormatUUID}, {Format: contract.FormatPattern, Pattern: "[a-z]{20}"}, {Format: contract.FormatPattern, Pattern: "[0-9]{20}"}} {
		if _, _, ok := cases(syntax); ok {
			t.Errorf("syntax %+v takes no two keys that differ in case only", syntax)
		}
	}
}
