package mockapi_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/store"
)

// stoppable is a store as a process sees it that can be stopped, as SIGSTOP does: nothing goes on until it continues.
type stoppable struct {
	store.Store
	mu      sync.Mutex
	stopped chan struct{} // not nil: closed when it continues
	atClaim chan struct{} // not nil: closed when a claim was committed, which stops it
}

func (s *stoppable) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = make(chan struct{})
}

func (s *stoppable) goOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.stopped)
	s.stopped = nil
}

// pass returns when it is not stopped; a process that is killed while stopped ends.
func (s *stoppable) pass(ctx context.Context) error {
	s.mu.Lock()
	stopped := s.stopped
	s.mu.Unlock()
	if stopped == nil {
		return nil
	}
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stoppable) View(ctx context.Context, read func(store.Reader) error) error {
	if err := s.pass(ctx); err != nil {
		return err
	}
	return s.Store.View(ctx, read)
}

func (s *stoppable) Update(ctx context.Context, change func(store.Tx) error) error {
	if err := s.pass(ctx); err != nil {
		return err
	}
	claimed := false
	err := s.Store.Update(ctx, func(tx store.Tx) error { return change(claimSeen{tx, &claimed}) })
	if claimed && s.atClaim != nil {
		s.stop()
		close(s.atClaim)
		s.atClaim = nil
	}
	return err
}

func (s *stoppable) Hold(ctx context.Context, name string) (store.Holding, error) {
	holding, err := s.Store.Hold(ctx, name)
	return stoppableHolding{holding, s}, err
}

type stoppableHolding struct {
	store.Holding
	store *stoppable
}

func (h stoppableHolding) Beat(ctx context.Context) error {
	if err := h.store.pass(ctx); err != nil {
		return err
	}
	return h.Holding.Beat(ctx)
}

type claimSeen struct {
	store.Tx
	claimed *bool
}

func (c claimSeen) InsertClaim(claim store.Claim) error {
	*c.claimed = true
	return c.Tx.InsertClaim(claim)
}

// An owner that is stopped for longer than its lease, and comes back after another one did the work, adds nothing to it.
func TestOwnerThatComesBackAddsNothing(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		owner := b.beside(func(o *mockapi.Options) {
			o.Lease = shortLease
			o.Store = &stoppable{Store: o.Store}
		})
		hold := make(chan struct{})
		b.downstream.set(func() { b.downstream.hold = hold })
		first := owner.later("k1", "t")
		b.downstream.await(b.t)
		b.downstream.set(func() { b.downstream.hold = nil }) // the held call stays held

		b.expect("duplicate while the owner lives", b.create("k1", "t"), 409, "idempotency_in_flight")
		stopped := owner.options.Store.(*stoppable)
		stopped.stop()
		var second answer
		b.eventually("another server takes over", func() bool {
			second = b.create("k1", "t")
			return second.code() != "idempotency_in_flight"
		})
		b.expect("second owner", second, 201, "")
		stopped.goOn()
		close(hold) // the first goes on, books (again, under the same key) and finds that it was replaced
		late := <-first
		b.expect("first owner", late, 201, "")
		if late.body != second.body {
			b.t.Errorf("two answers to one operation: %s and %s", late.body, second.body)
		}
		b.expectOnce("t")
	}, func(o *mockapi.Options) { o.Lease = shortLease })
}

// shortLease is one that a test can wait for.
const shortLease = 200 * time.Millisecond

// A server that starts on the store of one at work leaves what that one does alone.
func TestSecondServerLeavesTheFirstAlone(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
		first := b.later("k1", "t")
		b.downstream.await(b.t)
		other := b.beside(func(*mockapi.Options) {})
		for range 3 {
			b.expect("duplicate at the other", other.create("k1", "t"), 409, "idempotency_in_flight")
			if got := other.state("k1"); got != "in_progress" {
				b.t.Errorf("state at the other: %s, want in_progress", got)
			}
		}
		b.downstream.set(func() { release(&b.downstream.hold) })
		if got := <-first; got.status != 201 || got.replayed() {
			b.t.Errorf("first: %d %s", got.status, got.body)
		}
		if got := other.create("k1", "t"); !got.replayed() {
			b.t.Errorf("retry at the other: %d %s", got.status, got.body)
		}
		b.expectOnce("t")
	})
}

// What a server that died was at work on is settled by another one without its restart.
func TestOtherServerSettlesWhatADeadOneLeft(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		dying := b.beside(func(*mockapi.Options) {})
		b.downstream.set(func() { b.downstream.holdLate = make(chan struct{}) })
		first := dying.later("k1", "t")
		b.eventually("the booking is made", func() bool { return b.downstream.booked("t") == 1 })
		dying.server.Close()
		<-first
		b.eventually("the operation reads as succeeded", func() bool { return b.state("k1") == "succeeded" })
		b.expectOnce("t")
	})
}

// Requests that arrive while the server closes are turned away, and Close may be called again.
func TestClosedServerTurnsRequestsAway(t *testing.T) {
	t.Parallel()
	b := inMemory(t)
	if err := b.server.Close(); err != nil {
		t.Fatal(err)
	}
	b.expect("after closing", b.create("k1", "t"), 503, "closing")
	if err := b.server.Close(); err != nil {
		t.Error(err)
	}
}

func TestOptionsThatMakeNoServer(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]mockapi.Options{
		"mutant":     {Mutant: "check-then-insrt"},
		"downstream": {Downstream: "127.0.0.1:9099"},
	} {
		if _, err := mockapi.New(options); err == nil {
			t.Errorf("a wrong %s was accepted", name)
		}
	}
}
