package historytest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Operation is the subject of every history written here.
const Operation = "create-thing"

// tick is the time between two events, in microseconds.
const tick = 1000

// Builder collects a history in the order of its calls. What its methods return may be changed until History is called.
type Builder struct {
	h        history.History
	intents  []*history.Intent
	now      int64
	attempts int
}

// New begins a history of the scenario.
func New(scenario string) *Builder {
	return &Builder{h: history.History{
		Schema:     history.Schema,
		ID:         strings.ReplaceAll(scenario, "/", "-") + "." + Operation,
		Scenario:   scenario,
		Operations: []string{Operation},
		Seed:       1,
		Tries:      1,
	}}
}

// Trial names the trial, also in the history's id.
func (b *Builder) Trial(name string) *Builder {
	b.h.Trial = name
	b.h.ID += "." + name
	return b
}

// Offers adds needs that the target offers.
func (b *Builder) Offers(needs ...string) *Builder {
	b.h.Capabilities = append(b.h.Capabilities, needs...)
	return b
}

// Intent adds one: "i1" with "key-1" and "marker-1", then "i2" and so on.
func (b *Builder) Intent() *history.Intent {
	n := len(b.intents) + 1
	in := &history.Intent{ID: fmt.Sprintf("i%d", n), Operation: Operation, Tenant: "acme", Key: fmt.Sprintf("key-%d", n),
		Markers: []string{fmt.Sprintf("marker-%d", n)}, Isolation: "marker"}
	b.intents = append(b.intents, in)
	return in
}

// Answered adds an attempt of the intent that was answered in full.
func (b *Builder) Answered(in *history.Intent, label string, status int, body string) *history.Attempt {
	a := b.attempt(in, label)
	a.Outcome = history.Answered
	a.Answer = &history.Answer{Status: status, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: Body(body)}
	a.Link.ResponseBytes = 100 + a.Answer.Body.Length
	a.Link.ForwardedBytes = a.Link.ResponseBytes
	a.Link.FirstByteAt = a.Link.LastRequestAt + tick/10
	b.add(history.Event{Attempt: a})
	return a
}

// Lost adds an attempt whose answer began at the target's side and was kept from the client: the proven lost answer.
func (b *Builder) Lost(in *history.Intent, label string) *history.Attempt {
	a := b.attempt(in, label)
	a.Outcome, a.Reason = history.Lost, "the connection was closed"
	a.Link.ResponseBytes, a.Link.Cut = 150, true
	a.Link.FirstByteAt = a.Link.LastRequestAt + tick/10
	b.add(history.Event{Attempt: a})
	return a
}

// Silent adds an attempt that reached the target whole and was never answered.
func (b *Builder) Silent(in *history.Intent, label string) *history.Attempt {
	a := b.attempt(in, label)
	a.Outcome, a.Reason = history.Lost, "the client gave up"
	b.add(history.Event{Attempt: a})
	return a
}

// attempt fills in a request that was forwarded whole.
func (b *Builder) attempt(in *history.Intent, label string) *history.Attempt {
	b.attempts++
	body := fmt.Sprintf(`{"title":%q}`, strings.Join(in.Markers, " "))
	a := &history.Attempt{ID: b.attempts, Intent: in.ID, Label: label, Tenant: in.Tenant, Began: b.now + tick/10, Ended: b.now + tick}
	a.Request = history.Request{Method: "POST", URL: "/things", Body: Body(body), Header: [][2]string{
		{"Content-Type", "application/json"}, {"Idempotency-Key", `"` + in.Key + `"`}}}
	a.Link = history.Link{Reached: true, RequestBytes: 200 + a.Request.Body.Length, RequestWhole: true, LastRequestAt: a.Began + tick/10}
	return a
}

// Saw adds the reading of a probe. The probe is named after its kind: "http", "value" or "downstream".
func (b *Builder) Saw(in *history.Intent, kind, moment string, count int, ids ...string) *history.Observation {
	o := &history.Observation{Intent: in.ID, Kind: kind, Probe: probes[kind], Moment: moment, Count: count, IDs: ids}
	b.add(history.Event{Observation: o})
	return o
}

var probes = map[string]string{history.Resource: "http", history.Value: "value", history.Ledger: "downstream"}

// Fault adds one that landed.
func (b *Builder) Fault(kind string, in *history.Intent, phase string) *history.Fault {
	f := &history.Fault{Kind: kind, Intent: in.ID, Landed: true, Phase: phase}
	b.add(history.Event{Fault: f})
	return f
}

// Status adds a reading of the status resource by the intent's owner.
func (b *Builder) Status(in *history.Intent, moment, state string) *history.Status {
	s := &history.Status{Intent: in.ID, Moment: moment, Tenant: in.Tenant, HTTP: 200, State: state, Raw: state}
	s.Answer = &history.Answer{Status: 200, Body: Body(fmt.Sprintf(`{"state":%q}`, state))}
	if state == history.Absent {
		s.HTTP, s.Raw, s.Answer = 404, "", &history.Answer{Status: 404}
	}
	b.add(history.Event{Status: s})
	return s
}

// Burst sums up attempts that were added before, all of them in flight at once, and makes their times say so.
func (b *Builder) Burst(label string, attempts ...*history.Attempt) *history.Burst {
	burst := &history.Burst{Label: label, Rung: "barrier", Together: len(attempts), Overlapped: len(attempts)}
	for _, a := range attempts {
		a.Began, a.Ended = attempts[0].Began, b.now
		a.Link.LastRequestAt = a.Began + tick/10
		burst.Attempts = append(burst.Attempts, a.ID)
	}
	b.add(history.Event{Burst: burst})
	return burst
}

// Note adds a remark.
func (b *Builder) Note(text string) { b.add(history.Event{Note: text}) }

func (b *Builder) add(e history.Event) {
	b.now += tick
	e.Seq, e.At = len(b.h.Events)+1, b.now
	b.h.Events = append(b.h.Events, e)
}

// History is what was collected.
func (b *Builder) History() *history.History {
	h := b.h
	h.Intents = nil
	for _, in := range b.intents {
		h.Intents = append(h.Intents, *in)
	}
	return &h
}

// Body is a message body as a history holds it.
func Body(text string) history.Body {
	if text == "" {
		return history.Body{}
	}
	sum := sha256.Sum256([]byte(text))
	return history.Body{Text: text, Length: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
}
