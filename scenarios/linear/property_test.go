package linear_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/linear"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
)

// server is a correct API for one key, in small steps: its work takes time, during which others come, clients leave and the
// process may be killed. All its decisions are the reference's.
type server struct {
	contract contract.Contract
	record   reference.Record
	effects  int
	resource string
	owners   int
}

// visit is one attempt under way.
type visit struct {
	attempt *history.Attempt
	payload string
	owner   string
	version int64
	working bool // it owns the claim
	over    bool
}

// TestWhatACorrectServerDoesIsExplained: however attempts, losses, kills and changed payloads are mixed, what the reference leads
// to is explained by it.
func TestWhatACorrectServerDoesIsExplained(t *testing.T) {
	t.Parallel()
	contracts := map[string]contract.Contract{}
	for name, change := range map[string]func(*contract.Contract){
		"open": func(*contract.Contract) {},
		"failures kept": func(c *contract.Contract) {
			c.Stored.ClientErrors, c.Stored.ServerErrors, c.Stored.Validation = "yes", "yes", "yes"
		},
		"failures released": func(c *contract.Contract) {
			c.Stored.ClientErrors, c.Stored.ServerErrors, c.FailedRetry = "no", "no", "execute"
		},
		"in flight first":     func(c *contract.Contract) { c.MismatchInFlight = "in-flight" },
		"changes are replays": func(c *contract.Contract) { c.Mismatch.Action, c.Mismatch.Statuses = contract.ActionReplay, nil },
	} {
		contracts[name] = ruletest.IETF(t, func(c *contract.Contract) {
			c.Fidelity, c.Mismatch.Action, c.Mismatch.Statuses = contract.FidelityBody, contract.ActionRefuse, []int{422}
			c.InFlight.Statuses = []int{409}
		}, change)
	}
	for name, k := range contracts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				h, in := played(t, k)
				if e := linear.New(k, h).Explain(in); e.How != linear.Explained {
					t.Fatalf("%s: %s", e.How, e.Detail)
				}
			})
		})
	}
}

// TestASecondEffectIsNeverExplained: the same histories with one more effect, or one less than was acknowledged, are not.
func TestASecondEffectIsNeverExplained(t *testing.T) {
	t.Parallel()
	k := ruletest.IETF(t, func(c *contract.Contract) {
		c.Fidelity, c.Mismatch.Action, c.Mismatch.Statuses = contract.FidelityBody, contract.ActionRefuse, []int{422}
		c.InFlight.Statuses = []int{409}
	})
	rapid.Check(t, func(t *rapid.T) {
		h, in := played(t, k)
		acknowledged := false
		for _, a := range h.AttemptsOf(in) {
			acknowledged = acknowledged || k.Classify(a.Exchange()).Success()
		}
		for _, o := range h.Observations(in) {
			o.Count, o.IDs = 2, []string{"t1", "t2"}
			if acknowledged && rapid.Bool().Draw(t, "vanished") {
				o.Count, o.IDs = 0, nil
			}
		}
		if e := linear.New(k, h).Explain(in); e.How != linear.Unexplained {
			t.Fatalf("%s", e.How)
		}
	})
}

// played lets attempts meet the server in a drawn order, and returns what their callers saw.
func played(t *rapid.T, k contract.Contract) (*history.History, string) {
	b := historytest.New("lost/storm")
	in, other := b.Intent(), b.Intent()
	b.Answered(other, "call", 201, `{"id":"t9"}`)
	b.Saw(other, history.Resource, "after", 1, "t9")

	s := &server{contract: k}
	var under []*visit
	var order []*history.Attempt
	now := int64(100_000)
	for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
		now += 100
		if len(under) == 0 || rapid.IntRange(0, 3).Draw(t, "begins") == 0 {
			v := &visit{attempt: &history.Attempt{ID: step + 10, Intent: in.ID, Label: "call", Tenant: in.Tenant, Began: now}}
			if rapid.IntRange(0, 3).Draw(t, "changed") == 0 {
				v.payload, v.attempt.Variant = "changed", "changed"
			}
			v.attempt.Link = history.Link{Reached: true, RequestWhole: true, RequestBytes: 200}
			under = append(under, v)
			continue
		}
		i := rapid.IntRange(0, len(under)-1).Draw(t, "who")
		v := under[i]
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0: // its client leaves, or its answer is lost; the work goes on
			if v.attempt.Outcome == "" {
				v.attempt.Outcome, v.attempt.Ended = history.Lost, now
				order = append(order, v.attempt)
			}
		case 1: // the process is killed: nobody is answered, and whoever was at work is found out about
			for _, w := range under {
				if w.attempt.Outcome == "" {
					w.attempt.Outcome, w.attempt.Ended = history.Lost, now
					order = append(order, w.attempt)
				}
				w.over = true
			}
			s.crash(rapid.Bool().Draw(t, "was done"))
		default:
			if answer := s.step(t, v); answer != nil {
				v.over = true
				if v.attempt.Outcome == "" {
					v.attempt.Outcome, v.attempt.Ended, v.attempt.Answer = history.Answered, now, answer
					order = append(order, v.attempt)
				}
			}
		}
		left := under[:0]
		for _, v := range under {
			if !v.over {
				left = append(left, v)
			}
		}
		under = left
	}
	for _, v := range under { // nobody waits for ever; what is under way is carried to its end
		if v.attempt.Outcome == "" {
			v.attempt.Outcome, v.attempt.Ended = history.Lost, now+100
			order = append(order, v.attempt)
		}
		for range 3 {
			if !v.over {
				v.over = s.step(t, v) != nil
			}
		}
	}
	h := b.History()
	for _, a := range order {
		h.Events = append(h.Events, history.Event{Seq: len(h.Events) + 1, At: a.Ended, Attempt: a})
	}
	seen := &history.Observation{Intent: in.ID, Kind: history.Resource, Probe: "http", Moment: "after", Count: s.effects}
	if s.effects > 0 {
		seen.IDs = []string{s.resource}
	}
	h.Events = append(h.Events, history.Event{Seq: len(h.Events) + 1, At: now + 1000, Observation: seen})
	return h, in.ID
}

// step lets the server do a little for a visit; an answer ends it.
func (s *server) step(t *rapid.T, v *visit) *history.Answer {
	if v.working {
		return s.finish(t, v)
	}
	s.owners++
	v.owner = fmt.Sprintf("o%d", s.owners)
	r, decision := reference.Step(s.contract, s.record, reference.Claim{Scope: "s", Key: "k", Fingerprint: v.payload, Owner: v.owner}, s.record.Created)
	s.record = r
	switch decision {
	case reference.Execute:
		v.working, v.version = true, r.Version
		return nil
	case reference.Wait:
		if rapid.Bool().Draw(t, "waits") {
			return nil // it is kept waiting, and looks again
		}
		return said(409, `{}`)
	case reference.Conflict:
		return said(422, `{}`)
	case reference.Replay:
		return said(r.Answer.Status, string(r.Answer.Body))
	}
	return said(503, `{}`)
}

// finish ends the work of a visit: done, refused or broken.
func (s *server) finish(t *rapid.T, v *visit) *history.Answer {
	answer := reference.Answer{Status: 201, Body: fmt.Appendf(nil, `{"id":"t%d"}`, s.owners)}
	var event reference.Event = reference.Complete{Owner: v.owner, Version: v.version, Answer: answer}
	done := true
	if rapid.IntRange(0, 5).Draw(t, "fails") == 0 {
		answer = reference.Answer{Status: rapid.SampledFrom([]int{400, 403, 500}).Draw(t, "status"), Body: []byte(`{}`)}
		event, done = reference.Fail{Owner: v.owner, Version: v.version, Answer: answer}, false
	}
	r, decision := reference.Step(s.contract, s.record, event, s.record.Created)
	if decision != reference.Recorded {
		v.working = false // somebody took over: it asks again
		return nil
	}
	s.record = r
	if done {
		s.effects++
		s.resource = fmt.Sprintf("t%d", s.owners)
	}
	return said(answer.Status, string(answer.Body))
}

// crash leaves a claim behind whose owner is gone; recovery finds out whether the work was done.
func (s *server) crash(wasDone bool) {
	if s.record.State != reference.InProgress {
		return
	}
	s.record, _ = reference.Step(s.contract, s.record, reference.Crash{Owner: s.record.Owner, Version: s.record.Version}, s.record.Created)
	s.owners++
	owner := fmt.Sprintf("o%d", s.owners)
	s.record, _ = reference.Step(s.contract, s.record, reference.TakeOver{Owner: owner}, s.record.Created)
	var event reference.Event = reference.Fail{Owner: owner, Version: s.record.Version}
	if wasDone {
		s.effects++
		s.resource = fmt.Sprintf("t%d", s.owners)
		event = reference.Complete{Owner: owner, Version: s.record.Version, Answer: reference.Answer{Status: 201, Body: fmt.Appendf(nil, `{"id":%q}`, s.resource)}}
	}
	s.record, _ = reference.Step(s.contract, s.record, event, s.record.Created)
}

func said(status int, body string) *history.Answer {
	return &history.Answer{Status: status, Header: map[string][]string{}, Body: historytest.Body(body)}
}
