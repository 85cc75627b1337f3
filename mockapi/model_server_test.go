package mockapi_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/store"
)

// modelServer is one of the servers on the store of a model.
type modelServer struct {
	name    string
	options mockapi.Options
	reopen  func() (store.Store, error)

	server *mockapi.Server
	http   *httptest.Server
	store  *stoppable
	paused bool
}

// serverLog keeps what the servers of a model said, for when it differs.
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

func (l *serverLog) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text[max(0, len(l.text)-2000):])
}

// healthy tells whether it runs and is not paused.
func (s *modelServer) healthy() bool { return s.server != nil && !s.paused }

func (s *modelServer) start(t *rapid.T) {
	kept, err := s.reopen()
	if err != nil {
		t.Fatal(err)
	}
	s.store = &stoppable{Store: kept}
	s.options.Store = s.store
	if s.server, err = mockapi.New(s.options); err != nil {
		t.Fatal(err)
	}
	if err := s.server.Recover(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.http = httptest.NewServer(s.server)
}

// kill abandons what runs, as the end of the process does.
func (s *modelServer) kill() {
	if s.server == nil {
		return
	}
	s.server.Close()
	s.http.CloseClientConnections()
	s.http.Close()
	if _, memory := s.store.Store.(*store.Memory); !memory {
		s.store.Store.Close()
	}
	s.server, s.paused = nil, false
}

func (s *modelServer) pause() { s.store.stop(); s.paused = true }

func (s *modelServer) resume() { s.store.goOn(); s.paused = false }

// modelLease is short, since each pause of a model takes as long, and long enough for a busy machine to keep it up.
const modelLease = 500 * time.Millisecond
