package mockapi_test

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

// pair are two processes on one PostgreSQL; requests go to the one that lives.
type pair struct {
	*bench
	role   modelRole
	living *modelProcess
	other  *modelProcess
	url    string // of the other
}

func newPair(t *testing.T) *pair {
	t.Helper()
	d := newDownstream(t)
	p := &pair{bench: &bench{t: t, downstream: d}, role: modelRole{DB: storetest.Schema(t), Downstream: d.URL}}
	p.living, p.at = p.start()
	p.other, p.url = p.start()
	return p
}

func (p *pair) start() (*modelProcess, string) {
	p.t.Helper()
	process := &modelProcess{role: p.role}
	url, err := process.start()
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(process.kill)
	return process, url
}

// die kills the one that requests went to; they go to the other one from then on, beside which a new one is started.
func (p *pair) die() {
	p.t.Helper()
	if exit, err := p.living.Kill(p.t.Context()); err != nil || exit.Signal != "SIGKILL" {
		p.t.Fatal(exit, err)
	}
	p.living, p.at = p.other, p.url
	p.other, p.url = p.start()
}

// TestKilledInEachState: a replica is killed (SIGKILL) while the record stands in each state. The other one, and one that is
// started afterwards, do what is right for that state: the work is there once.
func TestKilledInEachState(t *testing.T) {
	t.Parallel()
	for state, story := range map[string]func(p *pair){
		"in_progress, before the booking": func(p *pair) {
			p.downstream.set(func() { p.downstream.hold = make(chan struct{}) })
			first := p.later("k", "t")
			key := p.downstream.await(p.t)
			p.expect("a duplicate at the other", p.elsewhere("k", "t"), 409, "idempotency_in_flight")
			p.die()
			<-first
			p.downstream.set(func() { release(&p.downstream.hold) })
			p.eventually("the other does the work", func() bool { return p.create("k", "t").status == 201 })
			for _, again := range p.downstream.keys() {
				if again != key {
					p.t.Errorf("downstream keys %s and %s", key, again)
				}
			}
			p.same("k", "t", 201)
			p.expectOnce("t")
		},
		"in_progress, after the booking": func(p *pair) {
			p.downstream.set(func() { p.downstream.holdLate = make(chan struct{}) })
			first := p.later("k", "t")
			p.downstream.await(p.t)
			p.eventually("the booking is made", func() bool { return p.downstream.booked("t") == 1 })
			p.die()
			<-first
			p.downstream.set(func() { release(&p.downstream.holdLate) })
			p.eventually("the other finds the result", func() bool { return p.create("k", "t").status == 201 })
			p.same("k", "t", 201)
			p.expectOnce("t")
		},
		"succeeded": func(p *pair) {
			p.expect("first", p.create("k", "t"), 201, "")
			p.die()
			p.same("k", "t", 201)
			p.expectOnce("t")
			if calls := p.downstream.keys(); len(calls) != 1 {
				p.t.Errorf("%d booking calls, want 1", len(calls))
			}
		},
		"failed": func(p *pair) {
			const closed = `{"project":"closed","title":"no"}`
			first := p.send("POST", "/v1/tickets", closed, keyHeader, `"k"`)
			p.expect("first", first, 403, "project_closed")
			if got := p.state("k"); got != "failed" {
				p.t.Errorf("state %s, want failed", got)
			}
			for range 2 { // one that had seen it, and one that is new
				p.die()
				if again := p.send("POST", "/v1/tickets", closed, keyHeader, `"k"`); again.status != 403 || again.body != first.body || !again.replayed() {
					p.t.Errorf("at the other: %d %s, want %s, replayed", again.status, again.body, first.body)
				}
			}
			if n := p.tickets("no"); n != 0 {
				p.t.Errorf("%d tickets of what was refused", n)
			}
		},
		"unknown": func(p *pair) {
			p.downstream.set(func() { p.downstream.lose, p.downstream.mute = true, true })
			p.expect("first", p.create("k", "t"), 504, "outcome_unknown")
			for range 2 { // and whoever finds it unknown dies as well
				if got := p.state("k"); got != "unknown" {
					p.t.Errorf("state %s, want unknown", got)
				}
				p.die()
				p.expect("while nobody knows", p.create("k", "t"), 504, "outcome_unknown")
			}
			p.downstream.set(func() { p.downstream.lose, p.downstream.mute = false, false })
			p.eventually("the outcome is found out", func() bool { return p.create("k", "t").status == 201 })
			p.same("k", "t", 201)
			p.expectOnce("t")
			if calls := p.downstream.keys(); len(calls) != 1 {
				p.t.Errorf("%d booking calls, want 1: all others are to ask, not to book", len(calls))
			}
		},
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			story(newPair(t))
		})
	}
}

// elsewhere is create at the other one.
func (p *pair) elsewhere(key, title string) answer {
	p.t.Helper()
	at := p.at
	defer func() { p.at = at }()
	p.at = p.url
	return p.create(key, title)
}

// same sees that both replay one answer.
func (p *pair) same(key, title string, status int) {
	p.t.Helper()
	one, other := p.create(key, title), p.elsewhere(key, title)
	if one.status != status || one.body != other.body || other.status != status || !one.replayed() || !other.replayed() {
		p.t.Errorf("%d %s, and at the other %d %s; want one answer %d twice, replayed", one.status, one.body, other.status, other.body, status)
	}
}
