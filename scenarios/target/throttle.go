package target

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
)

const (
	// longestSlowdown is how long a single answer may make everybody wait, usualSlowdown how long one that says no time does.
	longestSlowdown = 5 * time.Second
	usualSlowdown   = 250 * time.Millisecond
	// A target that asks again and again means more than it says: the pauses grow from the shortest, until it has not asked
	// for a while.
	shortestSlowdown = 10 * time.Millisecond
	mostGrowth       = 5 // doublings
	aWhile           = time.Second
	// mostSlowed is how often one request is sent again for it.
	mostSlowed = 8
)

// throttle holds everybody back while the target asks to slow down.
type throttle struct {
	mu    sync.Mutex
	until time.Time
	times int // it asked, without a while in between
}

// slow notes that the target asked for it.
func (t *throttle) slow(header http.Header) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.times++; now.Sub(t.until) > aWhile {
		t.times = 0
	}
	pause := max(min(askedPause(header, now), longestSlowdown), shortestSlowdown<<min(t.times, mostGrowth))
	if until := now.Add(pause); until.After(t.until) {
		t.until = until
	}
}

// wait returns when everybody may go on, or with the context's error.
func (t *throttle) wait(ctx context.Context) error {
	for {
		t.mu.Lock()
		left := time.Until(t.until)
		t.mu.Unlock()
		if left <= 0 {
			return nil
		}
		if !Pause(ctx, left) {
			return context.Cause(ctx)
		}
	}
}

// askedPause is what Retry-After says: seconds, or a moment.
func askedPause(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 3600)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return usualSlowdown
}

// throttled tells whether an attempt was only asked to slow down.
func (t *Target) throttled(a *history.Attempt) bool {
	return a.Outcome == history.Answered && a.Answer != nil && !a.Replaced && t.cfg.Contract.Throttled(a.Exchange())
}

// patient sends a read again when it is asked to slow down, as long as its context lets it.
type patient struct {
	throttle *throttle
	contract contract.Contract
	below    http.RoundTripper
}

func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	for range mostSlowed {
		if err := p.throttle.wait(r.Context()); err != nil {
			return nil, err
		}
		answer, err := p.below.RoundTrip(r)
		if err != nil || !p.contract.Throttled(contract.Exchange{Status: answer.StatusCode}) {
			return answer, err
		}
		p.throttle.slow(answer.Header)
		if deadline, bounded := r.Context().Deadline(); bounded && p.throttle.ends().After(deadline) {
			return answer, nil // there is no time for it
		}
		answer.Body.Close()
	}
	return p.below.RoundTrip(r)
}

func (p *patient) CloseIdleConnections() {
	if below, ok := p.below.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

func (t *throttle) ends() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.until
}
