package key

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestRequired(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status, effects int
		change          func(*one)
		with            with
		want            verdict.Outcome
	}{
		"refused as declared":                  {400, 0, nil, ietf, pass},
		"refused with another status":          {422, 0, nil, ietf, fail},
		"refused, no status declared":          {428, 0, nil, missingIs(refuse()), pass},
		"refused, yet executed":                {400, 1, nil, ietf, fail},
		"executed":                             {201, 1, nil, ietf, fail},
		"executed as declared":                 {201, 1, nil, missingIs(do(contract.ActionExecute)), pass},
		"executed twice":                       {201, 2, nil, missingIs(do(contract.ActionExecute)), fail},
		"refused though execution is declared": {400, 0, nil, missingIs(do(contract.ActionExecute)), fail},
		"executed, left open":                  {201, 1, nil, missingIs(contract.Response{}), notAssessed},
		"refused, left open":                   {400, 0, nil, missingIs(contract.Response{}), pass},
		"refused, left open, yet executed":     {400, 1, nil, missingIs(contract.Response{}), fail},
		"it breaks":                            {500, 0, nil, ietf, fail},
		"lost":                                 {400, 0, func(s *one) { lost(s.attempt) }, ietf, inconclusive},
		"a plain write is refused too":         {400, 0, func(s *one) { answer(403, "{}")(s.control) }, ietf, inconclusive},
		"the list could not be read":           {400, 0, func(s *one) { s.seen.Error = "500" }, ietf, inconclusive},
		"executed late":                        {400, 0, func(s *one) { s.Saw(s.in, history.Resource, "final", 1) }, ietf, fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := wrote("missing", "missing", tc.status, tc.effects)
			if tc.change != nil {
				tc.change(s)
			}
			ruletest.Expect(t, Rules(), "key/required", tc.want, ruletest.IETF(t, tc.with), s.histories()...)
		})
	}
}

func TestAcceptsRandom(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		uuid, random int
		control      int
		want         verdict.Outcome
	}{
		"both":                     {201, 201, 201, pass},
		"only UUIDs":               {201, 400, 201, fail},
		"no UUIDs":                 {422, 201, 201, fail},
		"it breaks":                {201, 500, 201, fail},
		"nothing is accepted":      {403, 403, 403, inconclusive},
		"asked to slow down":       {201, 429, 201, inconclusive},
		"unavailable for a moment": {201, 503, 201, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := wrote("random", string(contract.ShapeUUID), tc.uuid, 1)
			s.Answered(s.Intent(), string(contract.ShapeRandom), tc.random, "{}")
			answer(tc.control, "{}")(s.control)
			ruletest.Expect(t, Rules(), "key/accepts-random", tc.want, ruletest.IETF(t), s.histories()...)
		})
	}
}

func TestQuotedAndBare(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status, effects int
		with            with
		want            verdict.Outcome
	}{
		"refused":                            {400, 1, ietf, pass},
		"the same key":                       {201, 1, ietf, pass},
		"another key":                        {201, 2, ietf, fail},
		"another key, refused":               {400, 2, ietf, fail},
		"three effects":                      {201, 3, encoding("opaque"), fail},
		"two keys, opaque":                   {201, 2, encoding("opaque"), pass},
		"refused, opaque":                    {400, 1, encoding("opaque"), pass},
		"the same key, both":                 {201, 1, encoding("both"), pass},
		"refused, both":                      {400, 1, encoding("both"), fail},
		"two keys, both":                     {201, 2, encoding("both"), fail},
		"two keys, left open":                {201, 2, encoding(""), notAssessed},
		"one key, left open":                 {201, 1, encoding(""), pass},
		"ignored, and executed without":      {201, 2, both(malformedIs(do("ignore")), missingIs(do("execute"))), pass},
		"ignored, though keys are required":  {201, 2, both(malformedIs(do("ignore")), missingIs(refuse(400))), fail},
		"it breaks":                          {500, 1, ietf, fail},
		"it breaks on an opaque one":         {500, 1, encoding("opaque"), fail},
		"told to wait":                       {409, 1, ietf, pass},
		"unavailable for a moment":           {503, 1, ietf, inconclusive},
		"unavailable for a moment, two made": {503, 2, ietf, fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New("key/syntax").Trial("respelled")
			in := b.Intent()
			b.Answered(in, "first", 201, "{}")
			b.Answered(in, "respelled", tc.status, "{}")
			b.Saw(in, history.Resource, "after", tc.effects)
			ruletest.Expect(t, Rules(), "key/quoted-and-bare", tc.want, ruletest.IETF(t, tc.with), b.History())
		})
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	strict := malformedIs(refuse(400))
	for name, tc := range map[string]struct {
		part            string
		status, effects int
		with            with
		want            verdict.Outcome
	}{
		"refused as declared":                        {empty, 400, 0, strict, pass},
		"refused with another status":                {empty, 422, 0, strict, fail},
		"refused, left open":                         {unbalanced, 422, 0, ietf, pass},
		"refused, yet executed":                      {unbalanced, 400, 1, ietf, fail},
		"accepted":                                   {unbalanced, 201, 1, strict, fail},
		"accepted, left open":                        {unbalanced, 201, 1, ietf, pass},
		"accepted and executed twice":                {unbalanced, 201, 2, ietf, fail},
		"it breaks":                                  {overLong, 500, 0, ietf, fail},
		"unavailable for a moment":                   {overLong, 503, 0, ietf, inconclusive},
		"ignored, keys required":                     {nonASCII, 400, 0, both(malformedIs(do("ignore")), missingIs(refuse(400))), pass},
		"ignored, keys required, another refusal":    {nonASCII, 422, 0, both(malformedIs(do("ignore")), missingIs(refuse(400))), fail},
		"ignored, keys required, accepted":           {nonASCII, 201, 1, both(malformedIs(do("ignore")), missingIs(refuse(400))), fail},
		"ignored, executed without":                  {nonASCII, 201, 1, both(malformedIs(do("ignore")), missingIs(do("execute"))), pass},
		"ignored, executed without, refused":         {nonASCII, 400, 0, both(malformedIs(do("ignore")), missingIs(do("execute"))), fail},
		"refused although accepting is declared":     {nonASCII, 400, 0, malformedIs(do("accept")), fail},
		"a control character is refused by HTTP":     {control, 400, 0, malformedIs(refuse(422)), pass},
		"a control character, accepting declared":    {control, 400, 0, malformedIs(do("accept")), pass},
		"header fields too large":                    {overLong, 431, 0, malformedIs(refuse(422)), pass},
		"a long key, no longest one declared":        {overLong, 201, 1, strict, pass},
		"a long key, a longest one declared":         {overLong, 201, 1, both(strict, func(c *contract.Contract) { c.Key.Max = 64 }), fail},
		"a quotation mark is part of an opaque key":  {unbalanced, 201, 1, both(strict, encoding("opaque")), pass},
		"a quotation mark where nothing is declared": {unbalanced, 201, 1, both(strict, encoding("")), pass},
		"an empty opaque key":                        {empty, 201, 1, both(strict, encoding("opaque")), fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := wrote(tc.part, tc.part, tc.status, tc.effects)
			c := ruletest.IETF(t, tc.with)
			s.attempt.Request.Header = [][2]string{{"idempotency-key", breakKey(c, "2c9b4f0e-5a58-4f0a-9d5c-6d1f0a3b7e11", tc.part)}}
			ruletest.ExpectPart(t, Rules(), "key/malformed", tc.part, tc.want, c, s.histories()...)
		})
	}
}

func TestMalformedNeedsAControl(t *testing.T) {
	t.Parallel()
	s := wrote(empty, empty, 400, 0)
	s.attempt.Request.Header = [][2]string{{"Idempotency-Key", `""`}}
	answer(403, "{}")(s.control)
	ruletest.ExpectPart(t, Rules(), "key/malformed", empty, inconclusive, ruletest.IETF(t), s.histories()...)
	lost(s.attempt)
	f := ruletest.ExpectPart(t, Rules(), "key/malformed", empty, inconclusive, ruletest.IETF(t), s.histories()...)
	if f.Blame != verdict.Target {
		t.Errorf("who closes the connection on a malformed key is to blame for it, found %q", f.Blame)
	}
}

func TestBrokenKeysAreBrokenUnderTheContract(t *testing.T) {
	t.Parallel()
	const key = "2c9b4f0e-5a58-4f0a-9d5c-6d1f0a3b7e11"
	for _, encoding := range []string{contract.EncodingStructured, contract.EncodingBoth, contract.EncodingOpaque, ""} {
		for _, format := range []string{contract.FormatAny, contract.FormatUUID, contract.FormatUUID4} {
			c := ruletest.IETF(t, func(c *contract.Contract) { c.Key = contract.Key{Encoding: encoding, Format: format} })
			if c.Key.Format == contract.FormatAny {
				c.Key.Max = 255
			}
			for _, part := range malformedParts {
				_, err := c.DecodeKey([]string{breakKey(c, key, part)})
				opaqueQuote := part == unbalanced && encoding == contract.EncodingOpaque && format == contract.FormatAny
				if (err == nil) != opaqueQuote {
					t.Errorf("encoding %q, format %s, part %s: %q: %v", encoding, format, part, breakKey(c, key, part), err)
				}
			}
		}
	}
}

func TestSentTwice(t *testing.T) {
	t.Parallel()
	type scene struct {
		*historytest.Builder
		in, two *history.Intent
		all     []*history.Attempt
		seen    *history.Observation
	}
	for name, tc := range map[string]struct {
		change func(*scene)
		want   verdict.Outcome
	}{
		"refused":                       {func(*scene) {}, pass},
		"one effect":                    {func(s *scene) { answer(201, "{}")(s.all[0]); answer(201, "{}")(s.all[1]); s.seen.Count = 1 }, pass},
		"each makes one":                {func(s *scene) { answer(201, "{}")(s.all[0]); answer(201, "{}")(s.all[1]); s.seen.Count = 2 }, fail},
		"two keys make two":             {func(s *scene) { s.Saw(s.two, history.Resource, "final", 2) }, fail},
		"it breaks":                     {func(s *scene) { answer(500, "{}")(s.all[3]) }, fail},
		"lost":                          {func(s *scene) { lost(s.all[2]) }, inconclusive},
		"lost, yet executed twice":      {func(s *scene) { lost(s.all[0]); s.seen.Count = 2 }, fail},
		"the list could not be read":    {func(s *scene) { s.seen.Error = "500" }, inconclusive},
		"not sent again":                {func(s *scene) { s.all[3].Label = "other"; s.all[3].Intent = s.in.ID }, inconclusive},
		"told to come back, one effect": {func(s *scene) { answer(409, "{}")(s.all[1]); s.seen.Count = 1 }, pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scene{Builder: historytest.New("key/syntax").Trial("sent-twice")}
			s.in = s.Intent()
			s.all = append(s.all, s.Answered(s.in, "same-key", 400, "{}"), s.Answered(s.in, "same-key-again", 400, "{}"))
			s.seen = s.Saw(s.in, history.Resource, "after", 0)
			s.two = s.Intent()
			s.all = append(s.all, s.Answered(s.two, "two-keys", 400, "{}"), s.Answered(s.two, "two-keys-again", 400, "{}"))
			s.Saw(s.two, history.Resource, "after", 0)
			tc.change(s)
			ruletest.Expect(t, Rules(), "key/sent-twice", tc.want, ruletest.IETF(t), s.History())
		})
	}
}
