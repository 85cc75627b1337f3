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
		before := k.record
		switch decision := m.step(k, reference.Claim{Scope: "s", Key: key, Fingerprint: payload, Owner: owner}); decision {
		case reference.Execute:
			if before.State == reference.Absent || before.State != reference.Released || !k.record.Created.Equal(before.Created) {
				k.life = &modelLife{}
			}
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
	case m.muted[m.title(key, k.payload)]:
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

func (m *model) book(key, payload string, life *modelLife) {
	if !life.booked {
		life.booked = true
		m.bookings[m.title(key, payload)]++
	}
}

func (m *model) execute(s *modelServer, key, payload, owner string, does mode, answered chan answer) {
	k := m.keys[key]
	report := func(f reference.Fail) {
		f.Owner, f.Version = k.record.Owner, k.record.Version
		m.step(k, f)
	}
	if payload == refused {
		report(reference.Fail{Answer: reference.Answer{Status: 403}})
		got := m.await(answered)
		m.want("a final refusal", got, 403, "project_closed", false)
		k.body = got.body
		return
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
	switch {
	case does == takes, does == loses && !m.muted[m.title(key, payload)]:
		m.complete(key)
		got := m.await(answered)
		m.want("a first answer", got, 201, "", false)
		k.body = got.body
	case !m.muted[m.title(key, payload)]:
		if k.life.booked { // by an earlier attempt, whose call came in late
			m.complete(key)
			got := m.await(answered)
			m.want("found to be booked", got, 201, "", false)
			k.body = got.body
			return
		}
		report(reference.Fail{Answer: reference.Answer{Status: 503}})
		m.want("nothing done", m.await(answered), 503, "provider_unavailable", false)
	default:
		report(reference.Fail{Answer: reference.Answer{Status: 504}, Uncertain: true})
		m.want("unknown", m.await(answered), 504, "outcome_unknown", false)
	}
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
		m.t.Fatalf("%s: got %d %q replayed %v, want %d %q replayed %v: %s\nthe servers said:\n%s", what, got.status, got.code(), got.replayed(), status, code, replayed, got.body, m.log.last())
	}
}
