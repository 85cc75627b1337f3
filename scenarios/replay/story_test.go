package replay

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const (
	pass         = verdict.Pass
	fail         = verdict.Fail
	inconclusive = verdict.Inconclusive
	notAssessed  = verdict.NotAssessed
)

// story is a history of replay/again that tests change before it is told.
type story struct {
	*historytest.Builder
	once, in           *history.Intent
	first, retry       *history.Attempt
	more               []*history.Attempt
	seen, value, calls *history.Observation // at the end
	early              *history.Observation // the ledger after the first answer
}

const ticket = `{"id":"t-1","title":"marker-2","price":10.50}`

// replayed is what a correct target leaves.
func replayed() *story {
	s := &story{Builder: historytest.New("replay/again")}
	s.once = s.Intent()
	s.Answered(s.once, "once", 201, `{"id":"t-0"}`)
	s.Saw(s.once, history.Resource, "after", 1, "t-0")
	s.Saw(s.once, history.Ledger, "after", 1).Calls = []history.Call{booked}
	s.in = s.Intent()
	s.first = s.Answered(s.in, "first", 201, ticket)
	s.first.Answer.Header["Location"] = []string{"/things/t-1"}
	s.Saw(s.in, history.Resource, "first", 1, "t-1")
	s.early = s.Saw(s.in, history.Ledger, "first", 1)
	s.early.Calls = []history.Call{booked}
	s.retry = s.replay("retry")
	for range moreRetries {
		s.more = append(s.more, s.replay("again"))
	}
	s.seen = s.Saw(s.in, history.Resource, "after", 1, "t-1")
	s.value = s.Saw(s.in, history.Value, "after", 1)
	s.calls = s.Saw(s.in, history.Ledger, "after", 1)
	s.calls.Calls = []history.Call{booked}
	return s
}

func (s *story) replay(label string) *history.Attempt {
	a := s.Answered(s.in, label, 201, ticket)
	a.Answer.Header["Location"] = []string{"/things/t-1"}
	a.Answer.Header["Idempotent-Replayed"] = []string{"true"}
	return a
}

// each changes all retries.
func (s *story) each(change func(a *history.Attempt)) {
	for _, a := range append(s.more, s.retry) {
		change(a)
	}
}

func answer(status int, body string) func(*history.Attempt) {
	return func(a *history.Attempt) { a.Answer.Status, a.Answer.Body = status, historytest.Body(body) }
}

func lost(a *history.Attempt) { a.Outcome, a.Answer = history.Lost, nil }

var booked = history.Call{Method: "POST", Path: "/book", Key: "d-1", Booked: true, Status: 201}

func fidelity(f contract.Fidelity) func(*contract.Contract) {
	return func(c *contract.Contract) { c.Fidelity = f }
}

func volatile(pointers ...string) func(*contract.Contract) {
	return func(c *contract.Contract) { c.Volatile = pointers }
}

func marked(m contract.Marker) func(*contract.Contract) {
	return func(c *contract.Contract) { c.Marker = m }
}
