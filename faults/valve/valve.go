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
	// Through: no hold caught the caller.
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

// Valve lets callers of type T through unless a Hold keeps them. The zero value is an open valve.
type Valve[T any] struct {
	mu     sync.Mutex
	holds  []*Hold[T]
	closed bool
}

// ErrClosed is what waiting on a hold of a closed valve ends with.
var ErrClosed = errors.New("valve closed")

// Hold places a hold: callers that match are held, at most limit of them (0: any number), until it is decided. A caller
// that matches several holds is held by the one placed first. Match may be called from many goroutines at once.
func (v *Valve[T]) Hold(match func(T) bool, limit int) *Hold[T] {
	h := &Hold[T]{valve: v, match: match, limit: limit, decided: make(chan struct{}), changed: make(chan struct{})}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		h.end(Outcome{Fate: Closed})
	} else {
		v.holds = append(v.holds, h)
	}
	return h
}

// Pass returns at once if no hold matches the caller; else when its hold is decided, its context ends or the valve closes.
func (v *Valve[T]) Pass(ctx context.Context, caller T) Outcome {
	v.mu.Lock()
	holds, closed := v.holds, v.closed
	v.mu.Unlock()
	if closed {
		return Outcome{Fate: Closed}
	}
	for _, h := range holds {
		// Matched outside the lock: a slow match must not stop the others.
		if h.match(caller) && h.admit(caller) {
			return h.wait(ctx)
		}
	}
	return Outcome{}
}

// Close ends all holds: those who are held, and all who come later, get Closed. It may be called more than once.
func (v *Valve[T]) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	for _, h := range v.holds {
		h.end(Outcome{Fate: Closed})
	}
	v.holds = nil
}
