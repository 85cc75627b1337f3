package link_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/faults/link/linktest"
)

// hanging is a Toxiproxy whose API keeps so many calls of a method until the test ends.
func hanging(t *testing.T, method string, calls *atomic.Int64) *linktest.Toxiproxy {
	over := make(chan struct{})
	toxiproxy := linktest.Start(t, linktest.Options{Front: func(routes http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == method && r.URL.Path != "/version" && calls.Add(-1) >= 0 {
				<-over
				return
			}
			routes.ServeHTTP(w, r)
		})
	}})
	t.Cleanup(func() { close(over) })
	return toxiproxy
}

// lead dials a remote and makes a proxy there.
func lead(t *testing.T, url string) *link.Remote {
	t.Helper()
	r, err := link.DialRemote(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Lead(t.Context(), "127.0.0.1:0", "127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRemoteThatHangsForAWhile: what it did not remove at once is removed when it answers again, by us or by the next program.
// Nothing is taken out of the journal before. To list the proxies is not needed while their names are known.
func TestRemoteThatHangsForAWhile(t *testing.T) {
	link.Impatient(t, 100*time.Millisecond)
	for name, c := range map[string]struct {
		hangs  string
		calls  int64 // that hang
		leaves int   // proxies, by us
	}{
		"one removal":                  {http.MethodDelete, 1, 0},
		"all that we try":              {http.MethodDelete, 3, 1},
		"the list":                     {http.MethodGet, 1 << 60, 0},
		"all that we try and one more": {http.MethodDelete, 4, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			toxiproxy := hanging(t, c.hangs, &calls)
			r := lead(t, toxiproxy.URL)
			left := journal.Open()
			calls.Store(c.calls)
			err := r.Close(t.Context())
			if (err != nil) != (c.leaves > 0) || toxiproxy.Proxies() != c.leaves || len(journal.Open()) != c.leaves {
				t.Errorf("%v, %d proxies, %v", err, toxiproxy.Proxies(), journal.Open())
			}
			calls.Store(c.calls - 3)
			if c.leaves == 0 {
				return
			}
			if err := link.EndRemoteProxy(t.Context(), left[0]); err != nil || toxiproxy.Proxies() != 0 {
				t.Errorf("the next program: %v, %d proxies", err, toxiproxy.Proxies())
			}
			if err := r.Close(t.Context()); err != nil || len(journal.Open()) != 0 {
				t.Errorf("%v, %v", err, journal.Open())
			}
		})
	}
}

// TestProxyThatIsMadeAfterItWasGivenUp goes, too: who made it is waited for.
func TestProxyThatIsMadeAfterItWasGivenUp(t *testing.T) {
	come, let := make(chan struct{}), make(chan struct{})
	toxiproxy := linktest.Start(t, linktest.Options{Front: func(routes http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				close(come)
				<-let
			}
			routes.ServeHTTP(w, r)
		})
	}})
	r, err := link.DialRemote(t.Context(), toxiproxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-come
		cancel()
	}()
	if _, err := r.Lead(ctx, "127.0.0.1:0", "127.0.0.1:1"); err == nil {
		t.Error("it was made although it was given up")
	}
	time.AfterFunc(50*time.Millisecond, func() { close(let) }) // while it is being waited for, or before
	if err := r.Close(t.Context()); err != nil || toxiproxy.Proxies() != 0 || len(journal.Open()) != 0 {
		t.Errorf("%v, %d proxies, %v", err, toxiproxy.Proxies(), journal.Open())
	}
}
