package valve

import (
	"context"
	"fmt"
	"slices"
)

// Hold keeps the callers that match it waiting. One decision ends it: those it keeps meet that fate, later callers pass it by.
// Only the first decision counts.
type Hold[T any] struct {
	valve *Valve[T]
	match func(T) bool
	limit int

	// The fields below are guarded by valve.mu.
	arrived []T
	outcome Outcome
	ended   bool
	decided chan struct{} // closed when ended
	changed chan struct{} // closed and replaced at every arrival
}

// Release lets the held callers go.
func (h *Hold[T]) Release() { h.decide(Outcome{Fate: Released}) }

// Force lets the held callers go on even if nobody waits for what they do.
func (h *Hold[T]) Force() { h.decide(Outcome{Fate: Forced}) }

// Fail fails the held callers with a code.
func (h *Hold[T]) Fail(code int) { h.decide(Outcome{Fate: Failed, Code: code}) }

// Drop makes the held callers vanish.
func (h *Hold[T]) Drop() { h.decide(Outcome{Fate: Dropped}) }

// Wait returns the first n callers to arrive, once they have: held or gone by now. It ends early, with those that came and an
// error, when the context ends or the hold is decided.
func (h *Hold[T]) Wait(ctx context.Context, n int) ([]T, error) {
	for {
		h.valve.mu.Lock()
		arrived, changed, ended, outcome := slices.Clone(h.arrived), h.changed, h.ended, h.outcome
		h.valve.mu.Unlock()
		switch {
		case len(arrived) >= n:
			return arrived[:n], nil
		case ended && outcome.Fate == Closed:
			return arrived, fmt.Errorf("waiting for caller %d, %d came: %w", n, len(arrived), ErrClosed)
		case ended:
			return arrived, fmt.Errorf("waiting for caller %d, %d came: the hold was decided (%v)", n, len(arrived), outcome.Fate)
		}
		select {
		case <-changed:
		case <-h.decided:
		case <-ctx.Done():
			return arrived, fmt.Errorf("waiting for caller %d, %d came: %w", n, len(arrived), context.Cause(ctx))
		}
	}
}

// Arrived is how many callers it has held so far.
func (h *Hold[T]) Arrived() int {
	h.valve.mu.Lock()
	defer h.valve.mu.Unlock()
	return len(h.arrived)
}

func (h *Hold[T]) decide(o Outcome) {
	h.valve.mu.Lock()
	defer h.valve.mu.Unlock()
	h.end(o)
	// A copy: Pass reads the old list without the lock.
	h.valve.holds = slices.DeleteFunc(slices.Clone(h.valve.holds), func(other *Hold[T]) bool { return other == h })
}

// end ends the hold. The caller holds the valve's lock.
func (h *Hold[T]) end(o Outcome) {
	if !h.ended {
		h.ended, h.outcome = true, o
		close(h.decided)
	}
}

func (h *Hold[T]) admit(caller T) bool {
	h.valve.mu.Lock()
	defer h.valve.mu.Unlock()
	if h.ended || h.limit > 0 && len(h.arrived) >= h.limit {
		return false
	}
	h.arrived = append(h.arrived, caller)
	close(h.changed)
	h.changed = make(chan struct{})
	return true
}

func (h *Hold[T]) wait(ctx context.Context) Outcome {
	left := false
	select {
	case <-h.decided:
	case <-ctx.Done():
		left = true
	}
	h.valve.mu.Lock()
	defer h.valve.mu.Unlock()
	if left && !h.ended {
		return Outcome{Fate: Left}
	}
	return h.outcome
}
