package mockapi_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

func TestFiftyDuplicatesAtTwoReplicas(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		both := [2]*bench{b, b.beside(func(*mockapi.Options) {})}
		fiftyTogether(both[:]...)
		b.expectOnce("t")
		if mine, other := both[0].create("k1", "t"), both[1].create("k1", "t"); mine.body != other.body || !other.replayed() {
			b.t.Errorf("the replicas answer differently: %s and %s", mine.body, other.body)
		}
	})
}

func onPostgres(t *testing.T) (*bench, *storetest.Link) {
	t.Helper()
	link := storetest.NewLink(t, storetest.Schema(t))
	return newBench(t, mockapi.Options{}, func() store.Store { return openStore(t, link.Location) }), link
}

func TestDatabaseOutOfReachIsA503(t *testing.T) {
	t.Parallel()
	b, link := onPostgres(t)
	link.Cut()
	for what, got := range map[string]answer{
		"write":  b.create("k1", "t"),
		"read":   b.send("GET", "/v1/tickets", ""),
		"status": b.send("GET", "/v1/operations/k1", ""),
	} {
		b.expect(what, got, 503, "store_unavailable")
		if got.header.Get("Retry-After") == "" {
			t.Errorf("%s: nobody is told when to come back", what)
		}
	}
	link.Mend()
	b.expect("retry", b.create("k1", "t"), 201, "")
	b.expectOnce("t")
}

// The work may be done or not when the link breaks: what was booked is booked once, and the retry gets its result.
func TestDatabaseLinkCutInTheMiddleOfTheWork(t *testing.T) {
	t.Parallel()
	for name, hold := range map[string]func(d *downstream) *chan struct{}{
		"before the booking": func(d *downstream) *chan struct{} { return &d.hold },
		"after the booking":  func(d *downstream) *chan struct{} { return &d.holdLate },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, link := onPostgres(t)
			b.downstream.set(func() { *hold(b.downstream) = make(chan struct{}) })
			first := b.later("k1", "t")
			b.downstream.await(t)
			link.Cut()
			b.downstream.set(func() { release(hold(b.downstream)) })
			b.expect("the first, which cannot record its result", <-first, 503, "store_unavailable")
			link.Mend()
			b.eventually("a retry gets the result", func() bool { return b.create("k1", "t").status == 201 })
			b.expectOnce("t")
		})
	}
}

// The claim is there, but the attempt that made it does not know and gave up: it does not block the key for ever.
func TestClaimWhoseCommitIsNotConfirmed(t *testing.T) {
	t.Parallel()
	b, link := onPostgres(t)
	link.LoseAnswer("commit")
	b.expect("first", b.create("k1", "t"), 503, "store_unavailable")
	link.Mend()
	b.eventually("a retry gets a result", func() bool { return b.create("k1", "t").status == 201 })
	b.expectOnce("t")
}

func TestServeOnPostgres(t *testing.T) {
	t.Parallel()
	location := storetest.Schema(t)
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- mockapi.Serve(ctx, mockapi.ServeOptions{Listen: "127.0.0.1:0", DB: location, Ready: func(a string) { address <- a }})
	}()
	b := &bench{t: t, at: "http://" + <-address}
	b.expect("first", b.create("k1", "t"), 201, "")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	kept := openStore(t, location)
	if err := kept.View(t.Context(), func(r store.Reader) error {
		found, err := r.ClaimsByKey("acme", "k1")
		if err == nil && len(found) != 1 {
			err = errors.New("the claim is not in the database")
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
