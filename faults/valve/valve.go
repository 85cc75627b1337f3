package valve

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Fate is what became of a caller.
type Fate int

const (
	// Through: no rule held the caller.
	Through Fate = iota
	// Released: held, then let go.
	Released
	// Forced: held, then told to go on even if nobody waits for what it does any more.
	Forced
	// Failed: held, then told to fail with Outcome.Code.
	Failed
	// Dropped: held, then told to vanish without a word.
	Dropped
	// Left: the caller's own context ended while it was held.
	Left
	// Closed: the valve was closed.
	Closed
)

func (f Fate) String() string {
	names := [...]string{"through", "released", "forced", "failed", "dropped", "left", "closed"}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("fate %d", int(f))
	}
	return names[f]
}

// Outcome is a fate, with the code that goes with Failed.
type Outcome struct {
	Fate Fate
	Code int
}

// Valve lets callers of type T through unless a rule holds them. The zero value is an open valve.
type Valve[T any] struct {
	mu     sync.Mutex
	rules  []*Rule[T]
	closed bool
}

// ErrClosed is what waiting on a rule of a closed valve ends with.
var ErrClosed = errors.New("valve closed")

// Hold places a rule: callers that match are held, at most limit of them (0: any number), until the rule is decided. A caller
// that several rules would hold is held by the one placed first. Match may be called from many goroutines at once.
func (v *Valve[T]) Hold(match func(T) bool, limit int) *Rule[T] {
	r := &Rule[T]{valve: v, match: match, limit: limit, decided: make(chan struct{}), changed: make(chan struct{})}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		r.end(Outcome{Fate: Closed})
	} else {
		v.rules = append(v.rules, r)
	}
	return r
}

// Pass returns at once if no rule holds the caller; else when its rule is decided, its context ends or the valve closes.
func (v *Valve[T]) Pass(ctx context.Context, caller T) Outcome {
	v.mu.Lock()
	rules, closed := v.rules, v.closed
	v.mu.Unlock()
	if closed {
		return Outcome{Fate: Closed}
	}
	for _, r := range rules {
		// Matched outside the lock: a slow match must not stop the others.
		if r.match(caller) && r.admit(caller) {
			return r.wait(ctx)
		}
	}
	return Outcome{}
}

// Close ends all rules: those who are held, and all who come later, get Closed. It may be called more than once.
func (v *Valve[T]) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	for _, r := range v.rules {
		r.end(Outcome{Fate: Closed})
	}
	v.rules = nil
}

// Held is the number of callers that stand at any rule now.
func (v *Valve[T]) Held() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	held := 0
	for _, r := range v.rules {
		held += r.held
	}
	return held
}
