package conflict

import (
	"fmt"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const (
	pass         = verdict.Pass
	fail         = verdict.Fail
	inconclusive = verdict.Inconclusive
	notAssessed  = verdict.NotAssessed
)

const refusalBody = `{"type":"about:blank","title":"this key belongs to another request"}`

// story is a history of conflict/changed that tests change before it is told: of a correct target under the default profile.
type story struct {
	*historytest.Builder
	in, kept                            *history.Intent
	first, changed, again, keptChanged  *history.Attempt
	keptFirst, retry, original, control *history.Attempt
	seen, keptSeen                      *history.Observation
	before, after                       *history.Attempt
}

func conflicted() *story {
	s := &story{Builder: historytest.New("conflict/changed")}
	s.in = s.Intent()
	s.first = payload(s.Answered(s.in, "first", 201, `{"id":"t-1"}`), s.in, "low")
	s.before = s.Answered(s.in, "seen-before", 200, list("low"))
	s.changed = s.refuse(s.in, "changed")
	s.again = s.refuse(s.in, "changed-again")
	s.after = s.Answered(s.in, "seen-after", 200, list("low"))
	s.seen = s.Saw(s.in, history.Resource, "after", 1, "t-1")
	s.kept = s.Intent()
	s.keptFirst = s.Answered(s.kept, "first", 201, `{"id":"t-2"}`)
	s.retry = s.Answered(s.kept, "retry", 201, `{"id":"t-2"}`)
	s.keptChanged = s.refuse(s.kept, "changed")
	s.original = s.Answered(s.kept, "original", 201, `{"id":"t-2"}`)
	s.keptSeen = s.Saw(s.kept, history.Resource, "after", 1, "t-2")
	fresh := s.Intent()
	s.control = s.Answered(fresh, "control", 201, `{"id":"t-3"}`)
	return s
}

func (s *story) refuse(in *history.Intent, label string) *history.Attempt {
	a := payload(s.Answered(in, label, 422, refusalBody), in, "high")
	a.Variant = "change"
	a.Answer.Header["Content-Type"] = []string{"application/problem+json"}
	return a
}

// each changes all answers to changed payloads.
func (s *story) each(change func(*history.Attempt)) {
	for _, a := range []*history.Attempt{s.changed, s.again, s.keptChanged} {
		change(a)
	}
}

func payload(a *history.Attempt, in *history.Intent, priority string) *history.Attempt {
	a.Request.Body = historytest.Body(fmt.Sprintf(`{"title":%q,"priority":%q}`, in.Markers[0], priority))
	return a
}

func list(priority string) string {
	return fmt.Sprintf(`{"tickets":[{"id":"t-0","title":"marker-0","priority":"high"},{"id":"t-1","title":"marker-1","priority":%q}]}`, priority)
}

func answer(status int, body string) func(*history.Attempt) {
	return func(a *history.Attempt) { a.Answer.Status, a.Answer.Body = status, historytest.Body(body) }
}

func lost(a *history.Attempt) { a.Outcome, a.Answer = history.Lost, nil }

func mismatch(r contract.Response) func(*contract.Contract) {
	return func(c *contract.Contract) { c.Mismatch = r }
}

func TestEveryRequirementOfThePackHasARule(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, s := range Scenarios() {
		ids = append(ids, s.ID)
	}
	ruletest.Complete(t, "conflict", Rules(), ids...)
}

func Example() {
	for _, s := range Scenarios() {
		fmt.Println(s.ID)
	}
	// Output:
	// conflict/changed
	// conflict/disclosure
	// conflict/in-flight
	// conflict/after-failure
}
