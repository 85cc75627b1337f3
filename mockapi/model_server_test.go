package mockapi_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/store"
)

// modelServer is one of the servers on the store of a model.
type modelServer struct {
	name   string
	host   modelHost
	url    string // empty: it does not run
	paused bool
}

// modelHost runs a server, one after another.
type modelHost interface {
	start() (url string, err error)
	kill()
	pause() error
	resume() error
	said() string // what the last one wrote
}

// modelPlace is where the servers of one trial keep what they know.
type modelPlace interface {
	host(modelPromise) modelHost
	forgets() bool // the end of one server is that of all, and of what they knew
	open() (store.Store, error)
	close(store.Store)
}

// modelPromise is what a model's servers promise, and whom they call.
type modelPromise struct {
	contract   contract.Contract
	downstream string
}

const (
	// modelLease is short, since each pause of a model takes as long, and long enough for a busy machine to keep it up.
	modelLease = time.Second
	// A held call is held until the model lets it go.
	modelBookTimeout, modelLookupTimeout = time.Hour, time.Minute
)

// healthy tells whether it runs and is not paused.
func (s *modelServer) healthy() bool { return s.url != "" && !s.paused }

func (s *modelServer) start(t *rapid.T) {
	url, err := s.host.start()
	if err != nil {
		t.Fatalf("start %s: %v", s.name, err)
	}
	s.url = url
}

func (s *modelServer) kill() {
	if s.url != "" {
		s.host.kill()
	}
	s.url, s.paused = "", false
}

func (s *modelServer) pause(t *rapid.T) {
	if err := s.host.pause(); err != nil {
		t.Fatalf("pause %s: %v", s.name, err)
	}
	s.paused = true
}

func (s *modelServer) resume(t *rapid.T) {
	if err := s.host.resume(); err != nil {
		t.Fatalf("resume %s: %v", s.name, err)
	}
	s.paused = false
}

// modelMemory keeps it in this process, as one that ends with its servers.
type modelMemory struct{ kept *store.Memory }

func (p *modelMemory) forgets() bool     { return true }
func (p *modelMemory) close(store.Store) {}

func (p *modelMemory) open() (store.Store, error) {
	if p.kept == nil {
		p.kept = &store.Memory{}
	}
	return p.kept, nil
}

func (p *modelMemory) host(promise modelPromise) modelHost {
	return &modelGuest{place: p, promise: promise}
}

// modelGuest is a server in this process. It is paused by keeping its store from it.
type modelGuest struct {
	place   *modelMemory
	promise modelPromise
	log     serverLog

	server *mockapi.Server
	http   *httptest.Server
	store  *stoppable
}

// serverLog keeps what a server said, for when it differs.
type serverLog struct {
	mu   sync.Mutex
	text []byte
}

func (l *serverLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, line...)
	return len(line), nil
}

func (g *modelGuest) said() string {
	g.log.mu.Lock()
	defer g.log.mu.Unlock()
	return string(g.log.text)
}

func (g *modelGuest) start() (url string, err error) {
	kept, err := g.place.open()
	if err != nil {
		return "", err
	}
	g.store = &stoppable{Store: kept}
	g.server, err = mockapi.New(mockapi.Options{Contract: g.promise.contract, Store: g.store, Downstream: g.promise.downstream,
		BookTimeout: modelBookTimeout, LookupTimeout: modelLookupTimeout, Lease: modelLease, Clock: true,
		Logger: slog.New(slog.NewTextHandler(&g.log, nil))})
	if err != nil {
		return "", err
	}
	if err := g.server.Recover(context.Background()); err != nil {
		return "", err
	}
	g.http = httptest.NewServer(g.server)
	return g.http.URL, nil
}

// kill abandons what runs, as the end of the process does, and forgets what it knew.
func (g *modelGuest) kill() {
	_ = g.server.Close()
	g.http.CloseClientConnections()
	g.http.Close()
	g.place.kept = nil
}

func (g *modelGuest) pause() error  { g.store.stop(); return nil }
func (g *modelGuest) resume() error { g.store.goOn(); return nil }
