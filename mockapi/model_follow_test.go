package mockapi_test

import (
	"time"

	"github.com/oncespec/oncespec/mockapi/reference"
)

// follow steps through what becomes of a request, and waits until it is answered, or held by the provider.
func (m *model) follow(s *modelServer, key, payload string, does mode, answered chan answer) {
	k := m.keys[key]
	for range 5 {
		owner := m.owner()
		switch decision := m.step(k, reference.Claim{Scope: "s", Key: key, Fingerprint: payload, Owner: owner}); decision {
		case reference.Execute:
			k.life = m.life(k.record.Downstream)
			k.payload = payload
			m.execute(s, key, payload, owner, does, answered)
			return
		case reference.Replay:
			got := m.await(answered)
			want := 201
			if k.record.State == reference.Failed {
				want = 403
			}
			m.want("a replay", got, want, "", true)
			if k.body == "" { // done by a server that took over
				k.body = got.body
			}
			if got.body != k.body {
				m.t.Fatalf("replay of %s: got %s, want %s", key, got.body, k.body)
			}
			return
		case reference.Conflict:
			m.want("a conflict", m.await(answered), 422, "idempotency_key_reused", false)
			return
		case reference.TooLate:
			m.want("too late", m.await(answered), 422, "idempotency_key_expired", false)
			return
		case reference.Wait:
			m.want("a duplicate in flight", m.await(answered), 409, "idempotency_in_flight", false)
			return
		case reference.Reconcile:
			if !m.resolve(key) {
				m.want("still unknown", m.await(answered), 504, "outcome_unknown", false)
				return
			}
			if k.record.State == reference.Succeeded {
				got := m.await(answered)
				m.want("found out to be done", got, 201, "", true)
				k.body = got.body
				return
			}
		default:
			m.t.Fatalf("the reference decides %s", decision)
		}
	}
	m.t.Fatal("the reference comes to no end")
}

// resolve settles a record as one that asks the provider does; false: it cannot be told.
func (m *model) resolve(key string) bool {
	k := m.keys[key]
	m.step(k, reference.TakeOver{Owner: m.owner()})
	switch {
	case m.muted[k.life.title]:
		return false
	case k.life.booked:
		m.complete(key)
	default:
		m.step(k, reference.Fail{Owner: k.record.Owner, Version: k.record.Version})
	}
	return true
}

// complete is the report of the record's owner that the work is done.
func (m *model) complete(key string) {
	k := m.keys[key]
	m.step(k, reference.Complete{Owner: k.record.Owner, Version: k.record.Version, Answer: reference.Answer{Status: 201}})
	m.tickets[m.title(key, k.payload)]++
	k.body = "" // not seen yet
}

// life is what the provider knows under a downstream key.
func (m *model) life(downstream string) *modelLife {
	if m.lives[downstream] == nil {
		m.lives[downstream] = &modelLife{}
	}
	return m.lives[downstream]
}

// book is a call that the provider takes. What is booked already stays as it is.
func (m *model) book(key, payload string, life *modelLife) {
	if !life.booked {
		life.booked = true
		m.bookings[m.title(key, payload)]++
	}
}

func (m *model) execute(s *modelServer, key, payload, owner string, does mode, answered chan answer) {
	k := m.keys[key]
	if payload == refused {
		m.report(k, reference.Fail{Answer: reference.Answer{Status: 403}})
		got := m.await(answered)
		m.want("a final refusal", got, 403, "project_closed", false)
		k.body = got.body
		return
	}
	if !k.life.booked {
		k.life.title = m.title(key, payload)
	}
	switch does {
	case holds, holdsLate:
		if does == holdsLate {
			m.book(key, payload, k.life)
		}
		attempt := &modelAttempt{key: key, payload: payload, owner: owner, version: k.record.Version, server: s, life: k.life, late: does == holdsLate, answered: answered}
		select {
		case attempt.call = <-m.provider.arrived:
		case got := <-answered:
			m.t.Fatalf("answered %d %s, want its call held", got.status, got.body)
		case <-time.After(deadline):
			m.t.Fatal("no call arrived")
		}
		m.held = append(m.held, attempt)
		return
	case takes, loses:
		m.book(key, payload, k.life)
	}
	m.settle(key, payload, does, answered)
}

// settle is what an attempt makes of its call's end, and what is answered then. Unless the provider said yes it is asked what
// became of the key: there may be a booking by an earlier attempt, or one that a process which forgot it made.
func (m *model) settle(key, payload string, does mode, answered chan answer) {
	k := m.keys[key]
	yes := does == takes && k.life.title == m.title(key, payload)
	switch {
	case !yes && m.muted[k.life.title]:
		m.report(k, reference.Fail{Answer: reference.Answer{Status: 504}, Uncertain: true})
		m.want("unknown", m.await(answered), 504, "outcome_unknown", false)
	case k.life.booked:
		m.complete(key)
		got := m.await(answered)
		m.want("a first answer", got, 201, "", false)
		k.body = got.body
	default:
		m.report(k, reference.Fail{Answer: reference.Answer{Status: 503}})
		m.want("nothing done", m.await(answered), 503, "provider_unavailable", false)
	}
}

// report is the owner's report of a failure.
func (m *model) report(k *modelKey, f reference.Fail) {
	f.Owner, f.Version = k.record.Owner, k.record.Version
	m.step(k, f)
}

func (m *model) await(answered chan answer) answer {
	select {
	case got := <-answered:
		return got
	case <-time.After(deadline):
		m.t.Fatal("no answer")
		return answer{}
	}
}

func (m *model) want(what string, got answer, status int, code string, replayed bool) {
	if got.status != status || code != "" && got.code() != code || got.replayed() != replayed {
		m.t.Fatalf("%s: got %d %q replayed %v, want %d %q replayed %v: %s\nthe servers said:\n%s", what, got.status, got.code(), got.replayed(), status, code, replayed, got.body, m.said())
	}
}
