package target_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// committing keeps its tickets in a database: to make one it claims and commits, and what was committed shows whether or not it is
// told so. It looks there for the list as well.
type committing struct {
	api    api
	store  string
	single bool // it has one connection, which a request keeps to its end

	mu sync.Mutex
}

func (c *committing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.single {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	database := &api{store: c.store}
	if r.Method != http.MethodPost {
		if !database.ask("read") {
			reply(w, 503, map[string]any{"error": "no database"})
			return
		}
		c.api.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	if !database.ask("claim") {
		reply(w, 503, map[string]any{"error": "no database"})
		return
	}
	c.api.ServeHTTP(answer, r)
	if !database.ask("commit") {
		reply(w, 503, map[string]any{"error": "no database"})
		return
	}
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}

func commits(t *testing.T, single bool) rig {
	t.Helper()
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	listen := fmt.Sprintf("127.0.0.1:%d", port)
	server := httptest.NewServer(&committing{store: listen, single: single})
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain, "contract:", fmt.Sprintf("  store: {listen: %q, upstream: %q}\ncontract:", listen, newDatabase(t).addr)))
	r.steady(t)
	return r
}

// TestHoldStoreShows: from one answer of its database to the next, the target can be asked what it has done.
func TestHoldStoreShows(t *testing.T) {
	t.Parallel()
	s := commits(t, false).stage("crash/store-link")
	in := must(s.Intent(t.Context()))
	hold := s.HoldStore(in, link.Answers, 0)
	f := s.Go(t.Context(), in, target.Send{})
	for _, want := range []bool{false, true} {
		if !hold.Arrived(t.Context(), f, 1) {
			t.Fatal("nothing was held")
		}
		if shows, err := hold.Shows(t.Context()); shows != want || err != nil {
			t.Fatalf("the effect shows: %v, %v; want %v", shows, err, want)
		}
		if f.Over() {
			t.Fatal("it went on while it was looked at")
		}
		if !want {
			hold.Step()
		}
	}
	hold.Release()
	if a := f.Wait(t.Context()); a.Answer == nil || a.Answer.Status != 201 {
		t.Errorf("after the release: %+v", a.Answer)
	}
	wantFaults(t, s, "store-hold true", "store-hold true", "store-release true")
	if seen := s.Histories()[0].Observations(in.ID, history.WhileHeld); len(seen) != 1 || seen[0].Count != 1 {
		t.Errorf("recorded %+v", seen)
	}
}

// TestHoldStoreShowsNothing: a target that has one connection cannot be asked while that is held.
func TestHoldStoreShowsNothing(t *testing.T) {
	t.Parallel()
	s := commits(t, true).stage("crash/store-link")
	in := must(s.Intent(t.Context()))
	hold := s.HoldStore(in, link.Answers, 0)
	f := s.Go(t.Context(), in, target.Send{})
	if !hold.Arrived(t.Context(), f, 1) {
		t.Fatal("nothing was held")
	}
	if shows, err := hold.Shows(t.Context()); shows || err == nil {
		t.Errorf("the effect shows: %v, %v", shows, err)
	}
	if seen := s.Histories()[0].Observations(in.ID, history.WhileHeld); len(seen) == 0 || seen[0].Error == "" {
		t.Errorf("recorded %+v", seen)
	}
	hold.Release()
	f.Wait(t.Context())
}
