package mockapi_test

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi"
)

// An owner that was taken for dead, and comes back after another one did the work, adds nothing to it.
func TestOwnerThatComesBackAddsNothing(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		hold := make(chan struct{})
		b.downstream.set(func() { b.downstream.hold = hold })
		first := b.later("k1", "t")
		b.downstream.await(b.t)
		paused := b.http
		defer paused.Close()
		pausedServer := b.server
		defer pausedServer.Close()

		b.downstream.set(func() { b.downstream.hold = nil }) // the held call stays held
		b.start()                                            // takes the first for dead: nothing was booked
		second := b.create("k1", "t")
		b.expect("second owner", second, 201, "")
		close(hold) // the first goes on, books (again, under the same key) and finds that it was replaced
		late := <-first
		b.expect("first owner", late, 201, "")
		if late.body != second.body {
			b.t.Errorf("two answers to one operation: %s and %s", late.body, second.body)
		}
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
