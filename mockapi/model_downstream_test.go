package mockapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
)

// mode is what a provider does with the call for a title.
type mode string

const (
	takes     mode = "takes it"
	refuses   mode = "refuses"
	drops     mode = "hangs up without booking"
	loses     mode = "books and hangs up"
	holds     mode = "waits before it books"
	holdsLate mode = "waits after it booked"
)

// modelProvider is a downstream that does what the model wants of each title.
type modelProvider struct {
	*httptest.Server
	arrived chan heldCall

	mu     sync.Mutex
	modes  map[string]mode   // by title
	muted  map[string]bool   // by title: a lookup cannot be answered
	titles map[string]string // by downstream key: of what was booked, or of the last call
	booked map[string]bool   // by downstream key
}

// heldCall is a call that waits to be let go on.
type heldCall struct {
	title string
	goOn  chan struct{}
}

func newModelProvider() *modelProvider {
	p := &modelProvider{arrived: make(chan heldCall, 100), modes: map[string]mode{}, muted: map[string]bool{}, titles: map[string]string{}, booked: map[string]bool{}}
	p.Server = httptest.NewServer(p)
	return p
}

func (p *modelProvider) set(title string, m mode, muted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modes[title], p.muted[title] = m, muted
}

// bookings counts those for a title.
func (p *modelProvider) bookings(title string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.booked {
		if p.titles[key] == title {
			n++
		}
	}
	return n
}

func (p *modelProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		key := path.Base(r.URL.Path)
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case p.muted[p.titles[key]]:
			w.WriteHeader(http.StatusInternalServerError)
		case !p.booked[key]:
			w.WriteHeader(http.StatusNotFound)
		}
		return
	}
	var call struct{ Command struct{ Title string } }
	_ = json.NewDecoder(r.Body).Decode(&call)
	key, title := r.Header.Get("Idempotency-Key"), call.Command.Title
	p.mu.Lock()
	if !p.booked[key] {
		p.titles[key] = title
	}
	does := p.modes[title]
	p.mu.Unlock()
	book := func() (taken bool) { // false: something else was booked under the key
		p.mu.Lock()
		defer p.mu.Unlock()
		p.booked[key] = true
		return p.titles[key] == title
	}
	wait := func() (goneOn bool) {
		held := heldCall{title, make(chan struct{})}
		p.arrived <- held
		select {
		case <-held.goOn:
			return true
		case <-r.Context().Done(): // the caller died
			return false
		}
	}
	switch does {
	case refuses:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case drops:
		panic(http.ErrAbortHandler)
	case loses:
		book()
		panic(http.ErrAbortHandler)
	case holds:
		if !wait() {
			return
		}
	case holdsLate:
		book()
		if !wait() {
			return
		}
	}
	if !book() {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	w.WriteHeader(http.StatusCreated)
}
