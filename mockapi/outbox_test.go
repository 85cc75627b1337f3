package mockapi_test

import (
	"errors"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// owed tells whether a call for acme's ticket of a key is in the outbox.
func (b *bench) owed(key string) bool {
	b.t.Helper()
	var found bool
	if err := b.options.Store.View(b.t.Context(), func(r store.Reader) error {
		_, err := r.Outgoing(reference.DownstreamKey("acme POST /v1/tickets", key))
		if found = err == nil; found || errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	}); err != nil {
		b.t.Fatal(err)
	}
	return found
}

func TestCallIsInTheOutboxFromTheClaimUntilTheEnd(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.holdLate, b.downstream.mute = make(chan struct{}), true })
		first := b.later("k1", "t")
		b.eventually("the booking is made", func() bool { return b.downstream.booked("t") == 1 })
		if !b.owed("k1") {
			b.t.Error("it is not in the outbox while it is being delivered")
		}
		b.restart()
		<-first
		if !b.owed("k1") {
			b.t.Error("it is not in the outbox while nobody knows what came of it")
		}
		b.downstream.set(func() { b.downstream.mute = false })
		b.eventually("the outcome is found out", func() bool { return b.state("k1") == "succeeded" })
		if b.owed("k1") {
			b.t.Error("it is in the outbox after it was done")
		}
		b.downstream.set(func() { release(&b.downstream.holdLate); b.downstream.refuse = true })
		b.expect("refused", b.create("k2", "u"), 503, "provider_unavailable")
		if b.owed("k2") {
			b.t.Error("it is in the outbox although its operation is over")
		}
		b.downstream.set(func() { b.downstream.refuse = false })
		b.expect("tried again", b.create("k2", "u"), 201, "")
		b.expectOnce("u")
	})
}

// An owner that is stopped before it calls downstream, and comes back after another one did the work, does not even call.
func TestReplacedOwnerMakesNoCall(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		stopped := &stoppable{atClaim: make(chan struct{})}
		atClaim := stopped.atClaim
		owner := b.beside(func(o *mockapi.Options) {
			o.Lease = shortLease
			stopped.Store, o.Store = o.Store, stopped
		})
		first := owner.later("k1", "t")
		<-atClaim
		var second answer
		b.eventually("another server takes over", func() bool {
			second = b.create("k1", "t")
			return second.code() != "idempotency_in_flight"
		})
		b.expect("second owner", second, 201, "")
		stopped.goOn()
		if late := <-first; late.body != second.body || !late.replayed() {
			b.t.Errorf("the first owner answers %d %s, want a replay of %s", late.status, late.body, second.body)
		}
		b.expectOnce("t")
		if calls := b.downstream.keys(); len(calls) != 1 {
			b.t.Errorf("%d calls, want 1", len(calls))
		}
	}, func(o *mockapi.Options) { o.Lease = shortLease })
}
