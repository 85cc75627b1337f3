package fuzz

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// timed serves a mutant on whose writes the clock goes: the n-th begins at the moment that the function tells.
type timed struct {
	posted atomic.Int64
	cfg    *config.Config
	now    func() time.Time
}

func serveTimed(t *testing.T, mutant string, passed func(writes int64) time.Duration) *timed {
	t.Helper()
	api, err := mockapi.New(mockapi.Options{Mutant: mutant})
	if err != nil {
		t.Fatal(err)
	}
	out := &timed{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			out.posted.Add(1)
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { server.Close(); api.Close() })
	if out.cfg, err = config.Parse("timed", []byte(ticketsYAML), nil); err != nil {
		t.Fatal(err)
	}
	out.cfg.Target.URL = server.URL
	began := time.Now()
	out.now = func() time.Time { return began.Add(passed(out.posted.Load())) }
	return out
}

// upAfter lets the time be up with a write, and then the given time pass.
func upAfter(writes int64, then time.Duration) func(int64) time.Duration {
	return func(n int64) time.Duration {
		if n < writes {
			return 0
		}
		return time.Hour + then
	}
}

func (s *timed) search(t *testing.T, o Options) *Operation {
	t.Helper()
	o.Config, o.now, o.For, o.Workers, o.Seed = s.cfg, s.now, time.Hour, 1, 1
	return search(t, o).Operations[0]
}

func TestTheTimeBoundsTheSweepToo(t *testing.T) {
	t.Parallel()
	const writes = 30
	s := serveTimed(t, "", upAfter(writes, 0))
	op := s.search(t, Options{})
	untried := 0
	for _, row := range op.Rows {
		if row.Detail == tooLate {
			untried++
		}
	}
	if untried < 50 || !strings.Contains(op.Stopped, "the time was up before the sweep was done") {
		t.Errorf("%d rows were not tried, stopped %q", untried, op.Stopped)
	}
	if n := s.posted.Load(); n < writes || n > writes+2*batch+2 { // the screening under way, and its controls
		t.Errorf("the target got %d writes, and the time was up after %d", n, writes)
	}
}

func TestWithoutTimeNothingIsTried(t *testing.T) {
	t.Parallel()
	s := serveTimed(t, "", func(int64) time.Duration { return 0 })
	calls := 0
	op := search(t, Options{Config: s.cfg, For: time.Nanosecond, now: func() time.Time {
		calls++
		return time.Unix(int64(calls), 0)
	}}).Operations[0]
	if op.Pairs > 0 || s.posted.Load() > 0 || !strings.Contains(op.Stopped, "the time was up before anything was tried") {
		t.Errorf("%d pairs, %d writes, stopped %q", op.Pairs, s.posted.Load(), op.Stopped)
	}
}

func TestWhatSeemsWrongWhenTheTimeIsUpIsMadeSmall(t *testing.T) {
	t.Parallel()
	s := serveTimed(t, "fingerprint-float64", upAfter(6, 0)) // in the first screening
	op := s.search(t, Options{noSweep: true})
	if len(op.Findings) != 1 {
		t.Fatalf("%d findings", len(op.Findings))
	}
	isMinimal(t, 1, op.Findings[0], costly[0].minimal)
}

func TestTheEndingEndsToo(t *testing.T) {
	t.Parallel()
	s := serveTimed(t, "fingerprint-raw-bytes", upAfter(20, Ending))
	op := s.search(t, Options{})
	unconfirmed := 0
	for _, row := range op.Rows {
		if row.Verdict == verdict.Inconclusive {
			unconfirmed++
		}
	}
	if unconfirmed == 0 || len(op.Findings) > 1 {
		t.Errorf("%d rows seemed wrong and were not confirmed, %d were: want the former only", unconfirmed, len(op.Findings))
	}
}

func TestATargetThatHangsDoesNotHoldUpTheEnding(t *testing.T) {
	t.Parallel()
	api, err := mockapi.New(mockapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var posted atomic.Int64
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && posted.Add(1) > 20 {
			<-over
			return
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { close(over); server.Close(); api.Close() })
	cfg, err := config.Parse("hangs", []byte(ticketsYAML), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target.URL, cfg.Timeouts.Request = server.URL, time.Hour
	now := time.Now()
	op := search(t, Options{Config: cfg, For: time.Second, ending: time.Millisecond, now: func() time.Time { return now }}).Operations[0]
	if !strings.Contains(op.Stopped, "was broken off") {
		t.Errorf("stopped %q", op.Stopped)
	}
}
