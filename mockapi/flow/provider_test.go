package flow_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/flow"
)

const long = time.Minute

func provider(t *testing.T, timeout time.Duration, answer http.HandlerFunc) *flow.Provider {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	p, err := flow.NewProvider(server.URL+"/base/", timeout, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A booking whose answer is lost is never sent again by itself, not even on a connection that served before.
func TestLostBookingIsSentOnce(t *testing.T) {
	t.Parallel()
	var bookings atomic.Int64
	p := provider(t, long, func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/base/v1/bookings" || r.Header.Get("Idempotency-Key") != "k" {
			t.Errorf("unexpected call %s %s", r.Method, r.URL)
		}
		if bookings.Add(1) > 1 {
			panic(http.ErrAbortHandler) // the connection ends without an answer
		}
	})
	if !p.Book(t.Context(), "k", []byte(`{}`)) {
		t.Error("an answer of 200 was not taken for a booking")
	}
	for range 3 {
		before := bookings.Load()
		if p.Book(t.Context(), "k", []byte(`{}`)) {
			t.Error("a lost answer was taken for a booking")
		}
		if sent := bookings.Load() - before; sent != 1 {
			t.Errorf("one booking was sent %d times", sent)
		}
	}
}

func TestAnswersToABooking(t *testing.T) {
	t.Parallel()
	for status, booked := range map[int]bool{200: true, 201: true, 202: true, 302: false, 307: false, 400: false, 409: false, 500: false, 503: false} {
		p := provider(t, long, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		})
		if got := p.Book(t.Context(), "k", nil); got != booked {
			t.Errorf("%d: booked %v, want %v", status, got, booked)
		}
	}
}

func TestAnswersToALookup(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]flow.Outcome{200: flow.Booked, 404: flow.NotBooked, 201: flow.Unsure, 302: flow.Unsure, 410: flow.Unsure, 500: flow.Unsure, 503: flow.Unsure} {
		p := provider(t, long, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.URL.EscapedPath() != "/base/v1/bookings/a%2Fb" {
				t.Errorf("unexpected call %s %s", r.Method, r.URL)
			}
			w.WriteHeader(status)
		})
		if got := p.Lookup(t.Context(), "a/b"); got != want {
			t.Errorf("%d: outcome %d, want %d", status, got, want)
		}
	}
}

// A provider that never answers, or never ends, is given up on.
func TestHostileProviders(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"never answers": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"never ends": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, 50*time.Millisecond, answer)
			if p.Book(t.Context(), "k", nil) {
				t.Error("it was taken for a booking")
			}
			if got := p.Lookup(t.Context(), "k"); got != flow.Unsure {
				t.Errorf("outcome %d, want unsure", got)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := provider(t, long, func(http.ResponseWriter, *http.Request) { t.Error("a call was sent although its context had ended") })
	if p.Book(ctx, "k", nil) || p.Lookup(ctx, "k") != flow.Unsure {
		t.Error("an ended context was taken for an answer")
	}
}

func TestProviderNeedsAURL(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "127.0.0.1:9099", "/v1", "ftp://host", "http://"} {
		if _, err := flow.NewProvider(address, long, long); err == nil {
			t.Errorf("%q was accepted", address)
		}
	}
}
