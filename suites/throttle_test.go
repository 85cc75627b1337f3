package suites_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// limited answers 429 to what comes faster than every so often, but for so many at once.
func limited(api http.Handler, every time.Duration, atOnce int) http.Handler {
	var mu sync.Mutex
	left, last := float64(atOnce), time.Now()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := time.Now()
		left = min(float64(atOnce), left+float64(now.Sub(last))/float64(every))
		last = now
		let := left >= 1
		if let {
			left--
		}
		mu.Unlock()
		if !let {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "slow down", http.StatusTooManyRequests)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// TestALimitOnTheRateIsNoDefect: the correct mock behind a limit that every pack runs into. What was only asked to slow down
// is sent again, and nothing is held against the target for it.
func TestALimitOnTheRateIsNoDefect(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(limited(ticketsAPI(t), 2*time.Millisecond, 10))
	defer server.Close()
	cfg := ticketsConfig(t)
	cfg.Target.URL = server.URL
	report := finished(t, suites.Options{Config: cfg, Seed: 1, Selection: run.Selection{
		Requirements: []string{"replay/*", "status/*", "race/one-effect", "lost/partial-request", "lost/gateway-error", "key/malformed"}}})
	passed, undecided := 0, 0
	for _, v := range report.Verdicts {
		switch v.Verdict {
		case verdict.Fail, verdict.Warn, verdict.Error:
			t.Errorf("%s %s: %s", v.Verdict, v.Name(), v.Detail)
		case verdict.Inconclusive:
			t.Logf("%s: %s", v.Name(), v.Detail)
			undecided++
		case verdict.Pass:
			passed++
		}
	}
	if passed < 4*undecided {
		t.Errorf("%d passed, %d were left open: it gives up too early", passed, undecided)
	}
}

// TestATargetThatOnlyAsksToSlowDown ends the run, which says what to set.
func TestATargetThatOnlyAsksToSlowDown(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	}))
	defer server.Close()
	cfg := ticketsConfig(t)
	cfg.Target.URL = server.URL
	report, err := suites.Execute(t.Context(), suites.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	if report.Result != reports.Environment || !strings.Contains(report.Problem, "limits.rate") {
		t.Errorf("%s: %s", report.Result, report.Problem)
	}
}
