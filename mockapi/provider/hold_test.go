package provider_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/provider"
)

func arrived(t *testing.T, h *provider.Hold) provider.Call {
	t.Helper()
	c, err := h.Arrived(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestHeldCallMeetsItsFate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		when     provider.When
		decide   func(*provider.Hold)
		status   int // 0: no answer
		bookings int
	}{
		"before, released": {provider.BeforeBooking, (*provider.Hold).Release, 201, 1},
		"before, booked":   {provider.BeforeBooking, (*provider.Hold).Book, 201, 1},
		"before, failed":   {provider.BeforeBooking, func(h *provider.Hold) { h.Fail(500) }, 500, 0},
		"before, dropped":  {provider.BeforeBooking, (*provider.Hold).Drop, 0, 0},
		"after, released":  {provider.AfterBooking, (*provider.Hold).Release, 201, 1},
		"after, booked":    {provider.AfterBooking, (*provider.Hold).Book, 201, 1},
		"after, failed":    {provider.AfterBooking, func(h *provider.Hold) { h.Fail(0) }, 503, 1},
		"after, dropped":   {provider.AfterBooking, (*provider.Hold).Drop, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := listen(t, provider.Options{})
			hold := g.Hold(c.when, provider.KeyIn("k"), 1)
			held := begin(g, "POST", "/", "k", "{}")
			call := arrived(t, hold)
			if call.Key != "k" || call.Booked != (c.when == provider.AfterBooking) || call.Ended {
				t.Errorf("held: %+v", call)
			}
			wants(t, do(g, "POST", "/", "other", "{}"), 201, "")
			if g.InProgress() != 1 {
				t.Errorf("%d calls in progress, want the held one", g.InProgress())
			}
			c.decide(hold)
			hold.Book() // too late to change anything
			if got := <-held; c.status == 0 {
				wantsNothing(t, got)
			} else {
				wants(t, got, c.status, "")
			}
			if err := g.WaitIdle(soon(t)); err != nil {
				t.Fatal(err)
			}
			if got := g.Bookings(provider.KeyIn("k")); len(got) != c.bookings {
				t.Errorf("%d bookings, want %d", len(got), c.bookings)
			}
			ledger := g.Calls(provider.KeyIn("k"))[0]
			if !ledger.Held || !ledger.Ended || ledger.Status != c.status || ledger.Lost != (c.status == 0) || ledger.CallerGone {
				t.Errorf("ledger: %+v", ledger)
			}
		})
	}
}

// The caller dies while its call is held before booking. Nothing may be booked unless the one who holds it says so.
func TestHeldCallWhoseCallerDied(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		decide   func(*provider.Hold)
		bookings int
	}{
		"released": {(*provider.Hold).Release, 0},
		"dropped":  {(*provider.Hold).Drop, 0},
		"failed":   {func(h *provider.Hold) { h.Fail(500) }, 0},
		"booked":   {(*provider.Hold).Book, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := listen(t, provider.Options{})
			for i := range 50 { // the decision may come before the server has noticed
				key := fmt.Sprint("k", i)
				hold := g.Hold(provider.BeforeBooking, provider.KeyIn(key), 1)
				caller := post(t, g, key, "{}")
				arrived(t, hold)
				caller.Close()
				if i%2 == 0 {
					if _, err := g.WaitCalls(soon(t), gone(key), 1); err != nil {
						t.Fatal(err)
					}
				}
				c.decide(hold)
			}
			if err := g.WaitIdle(soon(t)); err != nil {
				t.Fatal(err)
			}
			books(t, g, 50*c.bookings)
		})
	}
}

func gone(key string) provider.Match {
	return func(c provider.Call) bool { return c.Key == key && c.CallerGone }
}

// post sends a call by hand, so that the caller can be taken away.
func post(t *testing.T, g *provider.Gate, key, body string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(g.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "POST /book HTTP/1.1\r\nHost: x\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", key, len(body), body)
	return c
}

func TestRetryWhileTheFirstIsHeldBooksOnce(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	hold := g.Hold(provider.BeforeBooking, nil, 1)
	first := begin(g, "POST", "/", "k", "{}")
	arrived(t, hold)
	wants(t, do(g, "POST", "/", "k", "{}"), 201, `{"id":"bk_1","key":"k"}`)
	hold.Release()
	wants(t, <-first, 201, `{"id":"bk_1","key":"k"}`)
	books(t, g, 1)
	if c := g.Calls(nil)[0]; c.Booked || !c.Repeat {
		t.Errorf("the held call came second: %+v", c)
	}
}

func TestHoldLeavesLookupsAlone(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	hold := g.Hold(provider.BeforeBooking, nil, 0)
	defer hold.Release()
	wants(t, do(g, "GET", "/k", "", ""), 404, "")
	if hold.Count() != 0 {
		t.Errorf("held %d calls", hold.Count())
	}
}

func TestArrivedEndsWithItsContext(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Hold(provider.BeforeBooking, nil, 1).Arrived(ctx); err == nil {
		t.Error("nobody came, and no error")
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	fail := g.Fail(provider.KeyIn("k"), 2, 500)
	wants(t, do(g, "POST", "/", "other", "{}"), 201, "")
	wants(t, do(g, "POST", "/", "k", "{}"), 500, "")
	wants(t, do(g, "GET", "/k", "", ""), 404, "")
	wants(t, do(g, "POST", "/", "k", "{}"), 500, "")
	wants(t, do(g, "POST", "/", "k", "{}"), 201, "")
	if fail.Hits() != 2 {
		t.Errorf("%d hits, want 2", fail.Hits())
	}
	books(t, g, 2)

	endless := g.Fail(nil, 0, 42)
	wants(t, do(g, "POST", "/", "k3", "{}"), 503, "")
	endless.End()
	endless.End()
	wants(t, do(g, "POST", "/", "k3", "{}"), 201, "")
}

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	lose := g.Lose(nil, 1)
	wantsNothing(t, do(g, "POST", "/", "k", "{}"))
	books(t, g, 1)
	if c := g.Calls(nil)[0]; !c.Booked || !c.Lost || c.Status != 0 || !c.Ended {
		t.Errorf("ledger: %+v", c)
	}
	wants(t, do(g, "POST", "/", "k", "{}"), 201, `{"id":"bk_1","key":"k"}`)
	if lose.Hits() != 1 {
		t.Errorf("%d hits, want 1", lose.Hits())
	}

	g.LoseLookups(provider.KeyIn("k"), 1)
	wantsNothing(t, do(g, "GET", "/k", "", ""))
	wants(t, do(g, "GET", "/k", "", ""), 200, "")
	books(t, g, 1)
}
