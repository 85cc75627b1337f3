package mockapi_test

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
)

// Asked to stop in the middle of an operation, a process finishes it first.
func TestServeFinishesWhatIsRunning(t *testing.T) {
	t.Parallel()
	provider := newDownstream(t)
	provider.set(func() { provider.hold = make(chan struct{}) })
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- mockapi.Serve(ctx, mockapi.ServeOptions{
			Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "mock.db"), Downstream: provider.URL,
			Ready: func(a string) { address <- a },
		})
	}()
	b := &bench{t: t, at: "http://" + <-address}
	answered := b.later("k1", "t")
	provider.await(t)
	stop()
	for refused := false; !refused; { // until the process takes no more requests
		_, err := b.try(context.Background(), "GET", "/healthz", "")
		refused = err != nil
	}
	provider.set(func() { release(&provider.hold) })
	if got := <-answered; got.status != http.StatusCreated {
		t.Errorf("the running request was answered %d %s", got.status, got.body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What takes longer than the grace is left as a death would leave it, and settled by the next process.
func TestServeLeavesWhatTakesTooLongToTheNext(t *testing.T) {
	t.Parallel()
	provider := newDownstream(t)
	provider.set(func() { provider.holdLate = make(chan struct{}) })
	db := filepath.Join(t.TempDir(), "mock.db")
	serve := func() (b *bench, end func() error) {
		ctx, stop := context.WithCancel(t.Context())
		address, ended := make(chan string, 1), make(chan error, 1)
		go func() {
			ended <- mockapi.Serve(ctx, mockapi.ServeOptions{
				Listen: "127.0.0.1:0", DB: db, Downstream: provider.URL, Grace: time.Millisecond,
				Ready: func(a string) { address <- a },
			})
		}()
		return &bench{t: t, at: "http://" + <-address}, func() error { stop(); return <-ended }
	}
	b, end := serve()
	answered := b.later("k1", "t")
	b.eventually("the booking is made", func() bool { return provider.booked("t") == 1 })
	if err := end(); err != nil {
		t.Error(err)
	}
	<-answered
	b, end = serve()
	if got := b.state("k1"); got != "succeeded" {
		t.Errorf("state at the next process: %s, want succeeded: it was booked", got)
	}
	if again := b.create("k1", "t"); !again.replayed() || b.tickets("t") != 1 || provider.booked("t") != 1 {
		t.Errorf("retry: %v; %d tickets, %d bookings", again, b.tickets("t"), provider.booked("t"))
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(db + "*"); err != nil || len(left) != 1 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

func TestServeSaysWhatToChange(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]mockapi.ServeOptions{
		"profile":  {Profile: "ietf-7"},
		"mutant":   {Mutant: "no-such"},
		"lifetime": {Lifetime: time.Millisecond},
		"expired":  {Lifetime: time.Hour, Expired: "replay"},
		"file":     {DB: filepath.Join(t.TempDir(), "absent", "mock.db")},
		"address":  {Listen: "127.0.0.1:none"},
	} {
		if err := mockapi.Serve(t.Context(), o); err == nil {
			t.Errorf("a wrong %s was accepted", name)
		}
	}
}
