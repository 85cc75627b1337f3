package key

import (
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// lasting is a contract with a lifetime of an hour.
func lasting(after contract.Response) with {
	return func(c *contract.Contract) {
		c.Lifetime, c.Expired = time.Hour, after
		c.Marker = contract.Marker{Name: "Idempotent-Replayed", Value: "true"}
	}
}

// aging is a write, a clock that was moved, and the key once more.
type aging struct {
	*historytest.Builder
	in, twin    *history.Intent
	first, last *history.Attempt
	clock       *history.Fault
	seen        *history.Observation
}

func grown(scenario, label string, by time.Duration, effects int) *aging {
	s := &aging{Builder: historytest.New(scenario)}
	s.in = s.Intent()
	s.first = s.Answered(s.in, "first", 201, `{"id":"t-1"}`)
	s.Saw(s.in, history.Resource, "first", 1, "t-1")
	s.twin = s.Intent()
	s.twin.TwinOf, s.twin.Key, s.twin.Markers = s.in.ID, s.in.Key, s.in.Markers
	s.clock = s.Fault("clock", s.in, "")
	s.clock.Moved = by.Microseconds()
	s.last = s.Answered(s.twin, label, 201, `{"id":"t-1"}`)
	s.seen = s.Saw(s.twin, history.Resource, "after", effects, "t-1")
	return s
}

func TestRetained(t *testing.T) {
	t.Parallel()
	early := time.Hour - 3*time.Second
	for name, tc := range map[string]struct {
		by     time.Duration
		change func(*aging)
		want   verdict.Outcome
	}{
		"it is replayed":             {early, func(*aging) {}, pass},
		"it is executed again":       {early, func(s *aging) { s.seen.Count = 2 }, fail},
		"it is refused":              {early, func(s *aging) { answer(422, `{}`)(s.last) }, fail},
		"another one is named":       {early, func(s *aging) { answer(201, `{"id":"t-2"}`)(s.last) }, fail},
		"the retry is lost":          {early, func(s *aging) { lost(s.last) }, inconclusive},
		"the clock was not moved":    {early, func(s *aging) { s.clock.Landed, s.clock.Detail = false, "it answered 404" }, inconclusive},
		"the retry came too late":    {time.Hour - 500*time.Millisecond, func(s *aging) { s.seen.Count = 2 }, inconclusive},
		"the first was refused":      {early, func(s *aging) { answer(409, `{}`)(s.first) }, inconclusive},
		"the effect cannot be read":  {early, func(s *aging) { s.seen.Error = "timeout" }, inconclusive},
		"the effect is gone":         {early, func(s *aging) { s.seen.Count = 0 }, fail},
		"an intermediary was unsure": {early, func(s *aging) { answer(503, ``)(s.last) }, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := grown("key/retained", "before-end", tc.by, 1)
			tc.change(s)
			ruletest.Expect(t, Rules(), "key/retained", tc.want, ruletest.IETF(t, lasting(do(contract.ActionExecute))), s.History())
		})
	}
	b := historytest.New("key/retained")
	b.Answered(b.Intent(), "first", 201, `{"id":"t-1"}`)
	ruletest.Expect(t, Rules(), "key/retained", inconclusive, ruletest.IETF(t, lasting(do(contract.ActionExecute))), b.History())
}

func TestExpired(t *testing.T) {
	t.Parallel()
	execute, refuses, open := do(contract.ActionExecute), refuse(422), contract.Response{}
	late := time.Hour + 2*time.Second
	marked := func(s *aging) { s.last.Answer.Header["Idempotent-Replayed"] = []string{"true"} }
	for name, tc := range map[string]struct {
		after  contract.Response
		by     time.Duration
		made   int
		change func(*aging)
		want   verdict.Outcome
	}{
		"executed anew":                      {execute, late, 2, func(*aging) {}, pass},
		"still replayed":                     {execute, late, 1, marked, fail},
		"replayed without saying so":         {execute, late, 1, func(*aging) {}, fail},
		"refused, where it executes":         {execute, late, 1, func(s *aging) { answer(422, `{}`)(s.last) }, fail},
		"refused as declared":                {refuses, late, 1, func(s *aging) { answer(422, `{}`)(s.last) }, pass},
		"refused with another status":        {refuses, late, 1, func(s *aging) { answer(400, `{}`)(s.last) }, fail},
		"executed, where it refuses":         {refuses, late, 2, func(*aging) {}, fail},
		"refused, and executed all the same": {refuses, late, 2, func(s *aging) { answer(422, `{}`)(s.last) }, fail},
		"nothing is declared":                {open, late, 2, func(*aging) {}, notAssessed},
		"it was too early":                   {execute, time.Hour - time.Second, 1, marked, inconclusive},
		"the clock was not moved":            {execute, late, 1, func(s *aging) { s.clock.Landed = false; s.clock.Detail = "404" }, inconclusive},
		"the last one is lost":               {execute, late, 2, func(s *aging) { lost(s.last) }, inconclusive},
		"the effects cannot be read":         {execute, late, 2, func(s *aging) { s.seen.Error = "timeout" }, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := grown("key/expired", "after-end", tc.by, tc.made)
			tc.change(s)
			ruletest.Expect(t, Rules(), "key/expired", tc.want, ruletest.IETF(t, lasting(tc.after)), s.History())
		})
	}
}

// doubtful is a write whose booking lost its answer, in doubt for longer than its key's lifetime.
type doubtful struct {
	*historytest.Builder
	in                        *history.Intent
	first, doubt, again, last *history.Attempt
	before, after             *history.Status
	clock                     *history.Fault
	calls, seen               *history.Observation
}

func inDoubt() *doubtful {
	s := &doubtful{Builder: historytest.New("key/unresolved-kept")}
	s.in = s.Intent()
	s.first = s.Answered(s.in, "first", 504, `{}`)
	s.doubt = s.Answered(s.in, "in-doubt", 504, `{}`)
	s.before = s.Status(s.in, "in-doubt", history.UnknownDone)
	s.clock = s.Fault("clock", s.in, "")
	s.clock.Moved = (time.Hour + 2*time.Second).Microseconds()
	s.after = s.Status(s.in, "after-end", history.UnknownDone)
	s.again = s.Answered(s.in, "after-end", 504, `{}`)
	s.Fault("lose-downstream", s.in, "")
	s.last = s.Answered(s.in, "retry", 201, `{"id":"t-1"}`)
	s.seen = s.Saw(s.in, history.Resource, "after", 1, "t-1")
	s.calls = s.Saw(s.in, history.Ledger, "after", 1)
	s.calls.Calls = []history.Call{{Seq: 1, Method: "POST", Path: "/book", Key: "d-1", Booked: true}}
	return s
}

func TestUnresolvedKept(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*doubtful)
		want   verdict.Outcome
	}{
		"it is kept, and resolves":           {func(*doubtful) {}, pass},
		"it stays in doubt":                  {func(s *doubtful) { answer(504, `{}`)(s.last); s.seen.Count, s.seen.IDs = 0, nil }, pass},
		"it is executed again":               {func(s *doubtful) { s.calls.Count = 2 }, fail},
		"it is dropped":                      {func(s *doubtful) { s.after.State = history.Absent }, fail},
		"it was absent before":               {func(s *doubtful) { s.before.State, s.after.State = history.Absent, history.Absent }, pass},
		"the answer was not lost":            {func(s *doubtful) { s.calls.Calls[0].Status = 201 }, inconclusive},
		"it had succeeded all the same":      {func(s *doubtful) { answer(201, `{"id":"t-1"}`)(s.first) }, notAssessed},
		"it reads as done":                   {func(s *doubtful) { s.before.State = history.Succeeded }, notAssessed},
		"the clock was not moved":            {func(s *doubtful) { s.clock.Landed, s.clock.Detail = false, "404" }, inconclusive},
		"the clock was moved too little":     {func(s *doubtful) { s.clock.Moved /= 2 }, inconclusive},
		"the retry did not reach the target": {func(s *doubtful) { s.again.Link.Reached = false }, inconclusive},
		"the effects cannot be read":         {func(s *doubtful) { s.seen.Error = "timeout" }, inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := inDoubt()
			tc.change(s)
			ruletest.Expect(t, Rules(), "key/unresolved-kept", tc.want, ruletest.IETF(t, lasting(do(contract.ActionExecute))), s.History())
		})
	}
}
