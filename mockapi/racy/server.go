package racy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// KeyField is the header field that carries the key.
const KeyField = "Idempotency-Key"

// Window is the time between the look for a key and its insertion.
type Window struct {
	Length time.Duration
	Busy   bool // it is spent computing; else the processor is free, as while waiting for a disk or a database
}

// longestWindow bounds what a request may ask for.
const longestWindow = time.Second

// Receipt is what the server says of one request.
type Receipt struct {
	Executed bool  `json:"executed"` // false: it was found done
	Began    int64 `json:"began_ns"` // when the handler began and ended, in nanoseconds since 1970: servers of one machine agree on it
	Ended    int64 `json:"ended_ns"`
}

// records is where keys are looked for and inserted. Neither call excludes another's, but each is whole.
type records interface {
	has(ctx context.Context, key string) (bool, error)
	insert(ctx context.Context, key string) error
}

// Server is the handler. Make one with New.
type Server struct {
	records records
	began   time.Time
}

// New returns a server whose records are kept in memory, or in the Store at the address if it is not empty.
func New(store string) *Server {
	s := &Server{records: &memory{keys: map[string]bool{}}, began: time.Now()}
	if store != "" {
		s.records = &client{addr: store}
	}
	return s
}

// Close closes the connections to the store.
func (s *Server) Close() {
	if c, far := s.records.(*client); far {
		c.close()
	}
}

// now goes on steadily from the time at which the server began.
func (s *Server) now() int64 { return s.began.UnixNano() + int64(time.Since(s.began)) }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	receipt := Receipt{Began: s.now()}
	key, window, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	known, err := s.records.has(r.Context(), key)
	if err == nil && !known {
		window.pass()
		receipt.Executed = true
		err = s.records.insert(r.Context(), key)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	receipt.Ended = s.now()
	text, err := json.Marshal(receipt)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

func read(r *http.Request) (key string, w Window, err error) {
	if key = r.Header.Get(KeyField); key == "" {
		return "", w, errors.New("expected a key in " + KeyField)
	}
	ns, err := strconv.ParseInt(r.URL.Query().Get("window_ns"), 10, 64)
	if err != nil || ns < 0 || ns > int64(longestWindow) {
		return "", w, fmt.Errorf("window_ns: expected nanoseconds up to %d, found %q", int64(longestWindow), r.URL.Query().Get("window_ns"))
	}
	return key, Window{Length: time.Duration(ns), Busy: r.URL.Query().Get("busy") == "true"}, nil
}

// Query asks for the window.
func (w Window) Query() string {
	return fmt.Sprintf("window_ns=%d&busy=%t", w.Length.Nanoseconds(), w.Busy)
}

// pass lets the window pass. One that is not busy gives the processor to whoever wants it, and looks at the clock whenever it gets
// it back: sleeping would take a millisecond instead of microseconds, since the runtime's timers are no finer on an idle machine.
func (w Window) pass() {
	for began := time.Now(); time.Since(began) < w.Length; {
		if !w.Busy {
			runtime.Gosched()
		}
	}
}

type memory struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (m *memory) has(_ context.Context, key string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.keys[key], nil
}

func (m *memory) insert(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[key] = true
	return nil
}

// Serve answers on the listener, over HTTP/1.1 and unencrypted HTTP/2, until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: s, Protocols: protocols, ReadHeaderTimeout: 10 * time.Second}
	defer s.Close()
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
