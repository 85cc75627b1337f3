package target_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// database answers each line with "done".
type database struct {
	addr  string
	asked atomic.Int64
}

func newDatabase(t *testing.T) *database {
	t.Helper()
	d := &database{}
	d.addr = linktest.Listen(t, func(conn net.Conn) {
		for in := bufio.NewScanner(conn); in.Scan(); {
			d.asked.Add(1)
			fmt.Fprintln(conn, "done")
		}
	})
	return d
}

// linked starts the api with a database behind the store link.
func linked(t *testing.T) (rig, *database) {
	t.Helper()
	d := newDatabase(t)
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	listen := fmt.Sprintf("127.0.0.1:%d", port)
	server := httptest.NewServer(&api{store: listen})
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain, "contract:", fmt.Sprintf("  store: {listen: %q, upstream: %q}\ncontract:", listen, d.addr)))
	if s, _ := r.steady(t); !offers(s, catalogue.NeedStoreLink) {
		t.Fatalf("the store link is not offered: %v", s.Missing)
	}
	return r, d
}

// landed are the store faults of a history, as "kind landed".
func landed(h *history.History) (list []string) {
	for _, f := range h.Faults() {
		list = append(list, fmt.Sprintf("%s %v", f.Kind, f.Landed))
	}
	return list
}

func wantFaults(t *testing.T, s *target.Stage, want ...string) {
	t.Helper()
	if got := landed(s.Histories()[0]); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("faults %v, want %v", got, want)
	}
}

// TestHoldStore: the target stands still between two round trips to its database, and what is seen says on which side.
func TestHoldStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir   link.Direction
		skip  int
		asked int64 // by the time something is held
	}{{link.Requests, 0, 0}, {link.Answers, 0, 1}, {link.Requests, 1, 1}, {link.Answers, 1, 2}} {
		t.Run(fmt.Sprint(c.dir, c.skip), func(t *testing.T) {
			t.Parallel()
			r, d := linked(t)
			before := d.asked.Load()
			s := r.stage("crash/sweep")
			in := must(s.Intent(t.Context()))
			hold := s.HoldStore(in, c.dir, c.skip)
			f := s.Go(t.Context(), in, target.Send{})
			if !hold.Arrived(t.Context(), f, 1) {
				t.Fatal("nothing was held")
			}
			if asked := d.asked.Load() - before; asked != c.asked {
				t.Errorf("the database was asked %d times, want %d", asked, c.asked)
			}
			if n := counts(s.Observe(t.Context(), in, "held"))[history.Resource]; n != 0 {
				t.Errorf("%d effects while held", n)
			}
			hold.Release()
			if a := f.Wait(t.Context()); a.Answer == nil || a.Answer.Status != 201 {
				t.Errorf("after the release: %+v", a.Answer)
			}
			wantFaults(t, s, "store-hold true", "store-release true")
		})
	}
}

// TestHoldStoreNotLanded: a hold that nothing came to says so.
func TestHoldStoreNotLanded(t *testing.T) {
	t.Parallel()
	r, _ := linked(t)
	s := r.stage("crash/sweep")
	in := must(s.Intent(t.Context()))
	hold := s.HoldStore(in, link.Answers, 100)
	f := s.Go(t.Context(), in, target.Send{})
	if hold.Arrived(t.Context(), f, 1) {
		t.Error("something was held")
	}
	wantFaults(t, s, "store-release false")
}

func TestCutStore(t *testing.T) {
	t.Parallel()
	r, d := linked(t)
	s := r.stage("crash/store-link")
	in := must(s.Intent(t.Context()))
	hold := s.HoldStore(in, link.Answers, 1)
	f := s.Go(t.Context(), in, target.Send{})
	if !hold.Arrived(t.Context(), f, 1) {
		t.Fatal("nothing was held")
	}
	taken, mend := s.CutStore(in)
	if taken != 1 {
		t.Errorf("%d connections were cut, want 1", taken)
	}
	hold.Release()
	if a := f.Wait(t.Context()); a.Answer == nil || a.Answer.Status != 503 {
		t.Errorf("without its database: %+v", a.Answer)
	}
	before := d.asked.Load()
	if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 503 || d.asked.Load() != before {
		t.Errorf("while cut: %+v", a.Answer)
	}
	mend()
	mend()
	if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 201 {
		t.Errorf("once mended: %+v", a.Answer)
	}
	wantFaults(t, s, "store-hold true", "store-cut true", "store-release true", "store-mend true")
}

// TestSilenceStore: a half-open database takes everything and answers nothing, and none of it is delivered later.
func TestSilenceStore(t *testing.T) {
	t.Parallel()
	r, d := linked(t)
	before := d.asked.Load()
	s := r.stage("failure/store-down")
	in := must(s.Intent(t.Context()))
	end := s.SilenceStore(in)
	if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 503 {
		t.Errorf("with a silent database: %+v", a.Answer)
	}
	end()
	if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 201 {
		t.Errorf("afterwards: %+v", a.Answer)
	}
	if asked := d.asked.Load() - before; asked != 2 {
		t.Errorf("the database was asked %d times, want 2", asked)
	}
	wantFaults(t, s, "store-silence true")
}

func TestDelayStore(t *testing.T) {
	t.Parallel()
	r, _ := linked(t)
	s := r.stage("race/one-effect")
	in := must(s.Intent(t.Context()))
	end := s.DelayStore(in, 2*time.Millisecond)
	if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 201 {
		t.Errorf("with a slow database: %+v", a.Answer)
	}
	end()
	end = s.DelayStore(nil, time.Millisecond)
	end() // nothing passed
	wantFaults(t, s, "store-delay true", "store-delay false")
}

// TestStoreLeftovers: what a procedure leaves held, cut or silent does not disturb the next one.
func TestStoreLeftovers(t *testing.T) {
	t.Parallel()
	r, _ := linked(t)
	s := r.stage("crash/store-link")
	in := must(s.Intent(t.Context()))
	s.HoldStore(in, link.Requests, 0)
	s.SilenceStore(in)
	s.DelayStore(in, time.Hour)
	s.CutStore(in)
	s.Histories()
	next := r.stage("crash/store-link")
	in = must(next.Intent(t.Context()))
	if a := next.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 201 {
		t.Errorf("the next procedure: %+v", a.Answer)
	}
}

// TestNoStore: without a link nothing is done, nothing recorded, and the need says what to add.
func TestNoStore(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	if s, _ := r.steady(t); offers(s, catalogue.NeedStoreLink) || s.Missing[catalogue.NeedStoreLink] != "needs store-link: add target.store" {
		t.Errorf("offered, or missing since %q", s.Missing[catalogue.NeedStoreLink])
	}
	s := r.stage("crash/store-link")
	hold := s.HoldStore(nil, link.Answers, 0)
	if hold.Arrived(t.Context(), nil, 1) {
		t.Error("something was held")
	}
	hold.Release()
	s.SilenceStore(nil)()
	s.DelayStore(nil, time.Second)()
	if n, mend := s.CutStore(nil); n != 0 {
		t.Error("something was cut")
	} else {
		mend()
	}
	if len(s.Histories()) != 0 {
		t.Error("something was recorded")
	}
}

// TestUnusedStore: a link that the operation does not use offers nothing.
func TestUnusedStore(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, &api{}, plain, "contract:", fmt.Sprintf("  store: {listen: \"127.0.0.1:%d\", upstream: %q}\ncontract:", port, d.addr))
	s, _ := r.steady(t)
	if why := s.Missing[catalogue.NeedStoreLink]; why != "target.store is not used: nobody called it; let the target call {store} instead of its database" {
		t.Errorf("missing since %q", why)
	}
}

// TestStoreThatIsDown: without a database there is nothing to link to.
func TestStoreThatIsDown(t *testing.T) {
	t.Parallel()
	cfg := configure(t, "http://127.0.0.1:1", plain, "contract:", fmt.Sprintf("  store: {listen: \"127.0.0.1:1\", upstream: %q}\ncontract:", free(t)))
	_, err := target.Start(context.Background(), target.Options{Config: cfg, Dir: t.TempDir()})
	var environment *target.EnvironmentError
	if !errors.As(err, &environment) {
		t.Errorf("%v, want an environment error", err)
	}
}
