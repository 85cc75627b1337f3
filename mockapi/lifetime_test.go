package mockapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/store"
)

// lasting is a change of options: keys last an hour, by a clock that can be moved.
func lasting(t *testing.T, after string) func(*mockapi.Options) {
	t.Helper()
	return func(o *mockapi.Options) {
		o.Contract = declared(t, contract.DefaultProfile)
		o.Contract.Lifetime, o.Contract.Expired.Action = time.Hour, after
		o.Clock = true
	}
}

func (b *bench) advance(by time.Duration) {
	b.t.Helper()
	b.expect("clock", b.send("POST", "/clock", fmt.Sprintf(`{"advance":%q}`, by), "Authorization", ""), 204, "")
}

// claims lists what is kept of the operations.
func (b *bench) claims(keys ...string) (found []store.Claim) {
	b.t.Helper()
	if err := b.options.Store.View(b.t.Context(), func(r store.Reader) error {
		found = nil
		for _, key := range keys {
			claims, err := r.ClaimsByKey("acme", key)
			if err != nil {
				return err
			}
			found = append(found, claims...)
		}
		return nil
	}); err != nil {
		b.t.Fatal(err)
	}
	return found
}

func TestKeyIsForgottenAfterItsLifetime(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		first := b.create("k1", "t")
		b.advance(time.Hour - time.Minute)
		if again := b.create("k1", "t"); !again.replayed() || again.body != first.body {
			b.t.Errorf("just before the end of the lifetime: %d %s", again.status, again.body)
		}
		if got := b.state("k1"); got != "succeeded" {
			b.t.Errorf("state before the end: %s", got)
		}
		b.advance(2 * time.Minute)
		if got := b.claims("k1"); len(got) != 0 {
			b.t.Errorf("%d records are left after the end, want none", len(got))
		}
		if got := b.state("k1"); got != "Not Found" {
			b.t.Errorf("state after the end: %s, want none", got)
		}
		second := b.create("k1", "t")
		b.expect("after the end", second, 201, "")
		if second.replayed() || second.field("id") == first.field("id") || b.tickets("t") != 2 || b.downstream.booked("t") != 2 {
			b.t.Errorf("a key used again after its lifetime is a new operation: %v, %d tickets, %d bookings", second, b.tickets("t"), b.downstream.booked("t"))
		}
		if again := b.create("k1", "t"); again.body != second.body || !again.replayed() {
			b.t.Errorf("retry of the second operation: %v", again)
		}
	}, lasting(t, contract.ActionExecute))
}

func TestKeyIsRefusedAfterItsLifetime(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		first := b.create("k1", "t")
		b.advance(time.Hour)
		for _, got := range []answer{b.create("k1", "t"), b.create("k1", "other")} {
			b.expect("after the end", got, 422, "idempotency_key_expired")
		}
		if got := b.state("k1"); got != "Not Found" {
			b.t.Errorf("state after the end: %s, want none", got)
		}
		b.expectOnce("t")
		kept := b.claims("k1")
		if len(kept) != 1 || strings.Contains(string(kept[0].Data), first.field("id")) || strings.Contains(string(kept[0].Data), `"title"`) {
			b.t.Errorf("of an expired operation only its key is kept: %+v", kept)
		}
		b.restart()
		b.expect("after a restart", b.create("k1", "t"), 422, "idempotency_key_expired")
		b.expect("another key", b.create("k2", "t"), 201, "")
	}, lasting(t, contract.ActionRefuse))
}

func TestUnresolvedOperationsOutliveTheirLifetime(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.lose, b.downstream.mute = true, true })
		b.expect("unknown", b.create("k1", "t"), 504, "outcome_unknown")
		b.downstream.set(func() { b.downstream.lose, b.downstream.hold = false, make(chan struct{}) })
		held := b.later("k2", "u")
		b.downstream.await(b.t)
		b.downstream.await(b.t)
		b.advance(1000 * time.Hour)
		b.expect("retry of the unknown", b.create("k1", "t"), 504, "outcome_unknown")
		b.expect("duplicate of the held", b.create("k2", "u"), 409, "idempotency_in_flight")
		b.downstream.set(func() { b.downstream.mute = false; release(&b.downstream.hold) })
		b.expect("held", <-held, 201, "")
		b.eventually("the unknown one resolves", func() bool { return b.create("k1", "t").status == 201 })
		b.expectOnce("t")
		b.expectOnce("u")
		b.advance(time.Hour - time.Second)
		if again := b.create("k2", "u"); !again.replayed() {
			b.t.Errorf("the lifetime begins with the completion: %v", again)
		}
	}, lasting(t, contract.ActionExecute))
}

func TestServersAndRestartsAgreeOnTheTime(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		other := b.beside(func(*mockapi.Options) {})
		b.create("k1", "t")
		other.advance(30 * time.Minute)
		b.advance(40 * time.Minute)
		for _, at := range []*bench{b, other} {
			if got := at.send("GET", "/clock", "").field("offset"); got != "1h10m0s" {
				b.t.Errorf("the clock was moved by %s, want 1h10m0s", got)
			}
		}
		if got := other.create("k1", "t"); got.replayed() {
			b.t.Error("the other server replays after the lifetime")
		}
		b.restart()
		at, err := time.Parse(time.RFC3339, b.send("GET", "/clock", "").field("now"))
		if ahead := time.Until(at); err != nil || ahead < time.Hour || ahead > 2*time.Hour {
			b.t.Errorf("after a restart the clock is ahead by %s, want a little over an hour; %v", ahead, err)
		}
	}, lasting(t, contract.ActionExecute))
}

// What is collected in the background is the same; here nobody moves the clock, and several transactions are needed.
func TestManyExpiredRecordsAreCollected(t *testing.T) {
	t.Parallel()
	const many = 450
	onEveryStore(t, func(b *bench) {
		var keys []string
		if err := b.options.Store.Update(b.t.Context(), func(tx store.Tx) error {
			keys = nil
			for i := range many {
				key := fmt.Sprint("k", i)
				keys = append(keys, key)
				if err := tx.InsertClaim(store.Claim{ID: store.ID{Scope: "acme POST /v1/tickets", Key: key}, Tenant: "acme", Settled: time.Unix(1, 0),
					Data: fmt.Appendf(nil, `{"scope":"acme POST /v1/tickets","key":%q,"fingerprint":"f","state":"failed","owner":"o","version":1,"downstream":"d",`+
						`"created":"1970-01-01T00:00:01Z","updated":"1970-01-01T00:00:01Z","tenant":"acme","operation":"tickets.create","command":{}}`, key)}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.t.Fatal(err)
		}
		if got := len(b.claims(keys...)); got != many {
			b.t.Fatalf("%d records before, want %d", got, many)
		}
		b.advance(0)
		if got := len(b.claims(keys...)); got != 0 {
			b.t.Errorf("%d records are left, want none", got)
		}
	}, lasting(t, contract.ActionExecute))
}

func TestClockRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	kept := &store.Memory{}
	b := newBench(t, mockapi.Options{Clock: true}, func() store.Store { return kept })
	for body, code := range map[string]string{
		`{"advance":"-1s"}`:      "invalid_request",
		`{"advance":"soon"}`:     "invalid_request",
		`{"advance":"2000000h"}`: "invalid_request",
		`{"advance":5}`:          "invalid_request",
		`{"back":"5s"}`:          "invalid_request",
		`{}`:                     "invalid_request",
		`{`:                      "malformed_body",
	} {
		got := b.send("POST", "/clock", body)
		if got.code() != code {
			t.Errorf("%s: got %d %s, want %s", body, got.status, got.body, code)
		}
	}
	b.advance(1_700_000 * time.Hour)
	b.expect("beyond what time can be told", b.send("POST", "/clock", `{"advance":"1700000h"}`), 422, "invalid_request")
	if got := inMemory(t).send("GET", "/clock", ""); got.status != 404 {
		t.Errorf("a clock that cannot be moved: %d, want 404", got.status)
	}
}
