package replay

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// strangers is a history of replay/authorised in which the target keeps its answers to their owner: the other principal
// executes a write of its own, the nameless one is refused.
type strangers struct {
	*historytest.Builder
	first, other, nobody, retry, control *history.Attempt
	otherAfter, nobodyAfter              *history.Observation
}

func guarded() *strangers {
	s := &strangers{Builder: historytest.New("replay/authorised")}
	in, other, nobody, control := s.Intent(), s.Intent(), s.Intent(), s.Intent()
	other.Tenant = "globex"
	for _, twin := range []*history.Intent{other, nobody} {
		twin.Key, twin.Markers, twin.TwinOf = in.Key, in.Markers, in.ID
	}
	control.Markers, control.TwinOf = in.Markers, in.ID
	s.first = s.Answered(in, "first", 201, `{"id":"t-1","title":"marker-1"}`)
	s.Saw(in, history.Resource, "first", 1, "t-1")
	s.Saw(other, history.Resource, "idle", 0)
	s.other = s.Answered(other, "other-principal", 201, `{"id":"t-2","title":"marker-1"}`)
	s.otherAfter = s.Saw(other, history.Resource, "after", 1, "t-2")
	s.Saw(nobody, history.Resource, "idle", 1, "t-1")
	s.nobody = s.Answered(nobody, "no-credentials", 401, `{"title":"who are you?"}`)
	s.nobodyAfter = s.Saw(nobody, history.Resource, "after", 1, "t-1")
	s.retry = s.Answered(in, "retry", 201, `{"id":"t-1","title":"marker-1"}`)
	s.control = s.Answered(control, "control", 201, `{"id":"t-3","title":"marker-1"}`)
	return s
}

// stored answers an attempt with the first one's answer, without an effect of its own.
func (s *strangers) stored(a *history.Attempt, seen *history.Observation) {
	a.Answer = s.first.Answer
	if seen == s.otherAfter {
		seen.Count, seen.IDs = 0, nil
	}
}

func TestAuthorised(t *testing.T) {
	t.Parallel()
	mark := contract.Marker{Name: "Idempotent-Replayed", Value: "true"}
	for name, tc := range map[string]struct {
		change func(*strangers)
		marker contract.Marker
		want   verdict.Outcome
	}{
		"each gets their own": {func(*strangers) {}, contract.Marker{}, pass},
		"refused":             {func(s *strangers) { answer(409, "{}")(s.other); s.otherAfter.Count = 0 }, contract.Marker{}, pass},
		"the other principal gets the stored answer": {func(s *strangers) { s.stored(s.other, s.otherAfter) }, contract.Marker{}, fail},
		"the nameless gets the stored answer":        {func(s *strangers) { s.stored(s.nobody, s.nobodyAfter) }, contract.Marker{}, fail},
		"the stored resource in another shape":       {func(s *strangers) { answer(200, `{"id":"t-1","state":"open"}`)(s.nobody) }, contract.Marker{}, fail},
		"the stored answer behind a 403":             {func(s *strangers) { answer(403, `{"id":"t-1","title":"marker-1"}`)(s.nobody) }, contract.Marker{}, fail},
		"the same id in each tenant's own counting":  {func(s *strangers) { s.other.Answer = s.first.Answer; s.otherAfter.IDs = []string{"t-1"} }, contract.Marker{}, pass},
		"the same empty answer for everybody":        {func(s *strangers) { s.plain(204, "") }, contract.Marker{}, pass},
		"the same words for everybody":               {func(s *strangers) { s.plain(200, `{"ok":true}`) }, contract.Marker{}, pass},
		"marked as a replay":                         {func(s *strangers) { s.plain(204, ""); s.nobody.Answer.Header = replayHeader }, mark, fail},
		"an id that the caller chose":                {func(s *strangers) { s.choose() }, contract.Marker{}, pass},
		"executed for nobody":                        {func(s *strangers) { answer(201, `{"id":"t-4","title":"marker-1"}`)(s.nobody); s.nobodyAfter.Count = 2 }, contract.Marker{}, pass},
		"lost":                                       {func(s *strangers) { lost(s.other) }, contract.Marker{}, inconclusive},
		"lost, and the nameless gets the answer":     {func(s *strangers) { lost(s.other); s.stored(s.nobody, s.nobodyAfter) }, contract.Marker{}, fail},
		"duplicates are refused, the owner's too":    {func(s *strangers) { answer(400, "{}")(s.retry) }, contract.Marker{}, notAssessed},
		"the first was refused":                      {func(s *strangers) { answer(400, "{}")(s.first) }, contract.Marker{}, inconclusive},
		"without ids, the body gives it away":        {func(s *strangers) { s.blind(); s.nobody.Answer = s.first.Answer }, contract.Marker{}, fail},
		"without ids or control nobody can tell":     {func(s *strangers) { s.blind(); s.nobody.Answer = s.first.Answer; lost(s.control) }, contract.Marker{}, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := guarded()
			tc.change(s)
			ruletest.Expect(t, Rules(), "replay/authorised", tc.want, ruletest.IETF(t, marked(tc.marker)), s.History())
		})
	}
}

var replayHeader = map[string][]string{"Idempotent-Replayed": {"true"}}

// plain answers every success alike; the other principal's write is not seen.
func (s *strangers) plain(status int, body string) {
	for _, a := range []*history.Attempt{s.first, s.other, s.nobody, s.retry, s.control} {
		answer(status, body)(a)
		a.Answer.Header = nil
	}
	s.otherAfter.Count = 0
}

// choose lets the caller's own marker be the id.
func (s *strangers) choose() {
	for _, a := range []*history.Attempt{s.first, s.nobody} {
		answer(201, `{"id":"marker-1"}`)(a)
	}
	answer(201, `{"id":"marker-1"}`)(s.control)
	for _, o := range s.History().Observations("") {
		o.IDs = []string{"marker-1"}
	}
}

// blind leaves no probe that gives ids.
func (s *strangers) blind() {
	for _, o := range s.History().Observations("") {
		o.IDs = nil
	}
}
