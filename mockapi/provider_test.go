package mockapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"
)

// downstream is a provider that a test can hold, break and make forgetful.
type downstream struct {
	*httptest.Server
	arrived chan string // the key of each booking call, as it arrives

	mu       sync.Mutex
	calls    []string          // keys of booking calls, in order
	bookings map[string]string // body by key
	hold     chan struct{}     // not nil: calls wait for its end before they book
	holdLate chan struct{}     // not nil: calls wait for its end after they booked
	refuse   bool              // booking calls get 503 and book nothing
	lose     bool              // booking calls book, and are not answered
	mute     bool              // lookups get 500
}

func newDownstream(t *testing.T) *downstream {
	d := &downstream{bookings: map[string]string{}, arrived: make(chan string, 1000)}
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.Server.Close)
	t.Cleanup(func() { d.set(func() { release(&d.hold); release(&d.holdLate) }) })
	return d
}

func release(hold *chan struct{}) {
	if *hold != nil {
		close(*hold)
		*hold = nil
	}
}

func (d *downstream) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

func (d *downstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		d.mu.Lock()
		defer d.mu.Unlock()
		_, booked := d.bookings[path.Base(r.URL.Path)]
		switch {
		case d.mute:
			w.WriteHeader(http.StatusInternalServerError)
		case !booked:
			w.WriteHeader(http.StatusNotFound)
		}
		return
	}
	body, _ := io.ReadAll(r.Body)
	key := r.Header.Get("Idempotency-Key")
	d.mu.Lock()
	d.calls = append(d.calls, key)
	hold, late, refuse, lose := d.hold, d.holdLate, d.refuse, d.lose
	d.mu.Unlock()
	d.arrived <- key
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done(): // the caller died: nothing is booked
			return
		}
	}
	if refuse {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	d.set(func() {
		if _, repeated := d.bookings[key]; !repeated {
			d.bookings[key] = string(body)
		}
	})
	if late != nil {
		select {
		case <-late:
		case <-r.Context().Done():
		}
	}
	if lose {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusCreated)
}

// booked counts the bookings with text as one of their values.
func (d *downstream) booked(text string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, body := range d.bookings {
		if strings.Contains(body, `"`+text+`"`) {
			n++
		}
	}
	return n
}

func (d *downstream) keys() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.calls...)
}

// await waits for a booking call.
func (d *downstream) await(t *testing.T) string {
	t.Helper()
	select {
	case key := <-d.arrived:
		return key
	case <-time.After(deadline):
		t.Fatal("no booking call arrived")
		return ""
	}
}

// deadline is for what has to happen, however busy the machine is.
const deadline = 30 * time.Second
