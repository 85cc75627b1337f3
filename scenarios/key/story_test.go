package key

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

type with = func(*contract.Contract)

func ietf(*contract.Contract) {}

func both(changes ...with) with {
	return func(c *contract.Contract) {
		for _, change := range changes {
			change(c)
		}
	}
}

func missingIs(r contract.Response) with   { return func(c *contract.Contract) { c.Missing = r } }
func malformedIs(r contract.Response) with { return func(c *contract.Contract) { c.Malformed = r } }
func encoding(e string) with               { return func(c *contract.Contract) { c.Key.Encoding = e } }
func scopes(s ...contract.Scope) with      { return func(c *contract.Contract) { c.Scope = s } }
func other(r contract.Response) with       { return func(c *contract.Contract) { c.OtherOperation = r } }

func refuse(statuses ...int) contract.Response {
	return contract.Response{Action: contract.ActionRefuse, Statuses: statuses}
}

func do(action string) contract.Response { return contract.Response{Action: action} }

func answer(status int, body string) func(*history.Attempt) {
	return func(a *history.Attempt) { a.Answer.Status, a.Answer.Body = status, historytest.Body(body) }
}

func lost(a *history.Attempt) { a.Outcome, a.Answer = history.Lost, nil }

// one is a trial with one write that matters, and the control of key/syntax.
type one struct {
	*historytest.Builder
	in      *history.Intent
	attempt *history.Attempt
	seen    *history.Observation
	control *history.Attempt
	missing *historytest.Builder // the trial that holds the control, where it is another one
}

// wrote is a write under no or an odd key, with its answer and effects.
func wrote(trial, label string, status, effects int) *one {
	s := &one{Builder: historytest.New("key/syntax").Trial(trial)}
	s.in = s.Intent()
	s.attempt = s.Answered(s.in, label, status, `{"id":"t-1"}`)
	s.seen = s.Saw(s.in, history.Resource, "after", effects)
	s.missing = s.Builder
	if trial != "missing" {
		s.missing = historytest.New("key/syntax").Trial("missing")
	}
	s.control = s.missing.Answered(s.missing.Intent(), "control", 201, `{"id":"t-2"}`)
	return s
}

func (s *one) histories() []*history.History {
	if s.missing == s.Builder {
		return []*history.History{s.History()}
	}
	return []*history.History{s.missing.History(), s.History()}
}

func TestEveryRequirementOfThePackHasARule(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, s := range Scenarios() {
		ids = append(ids, s.ID)
	}
	ruletest.Complete(t, "key", Rules(), ids...)
}

func Example() {
	for _, s := range Scenarios() {
		fmt.Println(s.ID)
	}
	// Output:
	// key/syntax
	// key/identity
	// key/scope
	// key/in-path
	// key/retained
	// key/expired
	// key/unresolved-kept
}
