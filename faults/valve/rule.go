package valve

import (
	"context"
	"fmt"
	"slices"
)

// Rule holds the callers that match it. One decision ends it: those it holds meet that fate, later callers it does not see.
// Only the first decision counts.
type Rule[T any] struct {
	valve *Valve[T]
	match func(T) bool
	limit int

	// All below is guarded by the valve's lock.
	arrived []T
	held    int
	outcome Outcome
	ended   bool
	decided chan struct{} // closed when ended
	changed chan struct{} // closed and replaced at every arrival
}

// Release lets the held callers go.
func (r *Rule[T]) Release() { r.decide(Outcome{Fate: Released}) }

// Force lets the held callers go on even if nobody waits for what they do.
func (r *Rule[T]) Force() { r.decide(Outcome{Fate: Forced}) }

// Fail fails the held callers with a code.
func (r *Rule[T]) Fail(code int) { r.decide(Outcome{Fate: Failed, Code: code}) }

// Drop makes the held callers vanish.
func (r *Rule[T]) Drop() { r.decide(Outcome{Fate: Dropped}) }

// Wait returns the first n callers to arrive, once they have: held or gone by now. It ends early, with those that came and an
// error, when the context ends or the rule is decided.
func (r *Rule[T]) Wait(ctx context.Context, n int) ([]T, error) {
	for {
		r.valve.mu.Lock()
		arrived, changed, ended, outcome := slices.Clone(r.arrived), r.changed, r.ended, r.outcome
		r.valve.mu.Unlock()
		switch {
		case len(arrived) >= n:
			return arrived[:n], nil
		case ended && outcome.Fate == Closed:
			return arrived, fmt.Errorf("waiting for caller %d, %d came: %w", n, len(arrived), ErrClosed)
		case ended:
			return arrived, fmt.Errorf("waiting for caller %d, %d came: the rule was decided (%v)", n, len(arrived), outcome.Fate)
		}
		select {
		case <-changed:
		case <-r.decided:
		case <-ctx.Done():
			return arrived, fmt.Errorf("waiting for caller %d, %d came: %w", n, len(arrived), context.Cause(ctx))
		}
	}
}

// Arrived is how many callers the rule has held so far.
func (r *Rule[T]) Arrived() int {
	r.valve.mu.Lock()
	defer r.valve.mu.Unlock()
	return len(r.arrived)
}

func (r *Rule[T]) decide(o Outcome) {
	r.valve.mu.Lock()
	defer r.valve.mu.Unlock()
	r.end(o)
	// A copy: Pass reads the old list without the lock.
	r.valve.rules = slices.DeleteFunc(slices.Clone(r.valve.rules), func(other *Rule[T]) bool { return other == r })
}

// end wants the valve's lock.
func (r *Rule[T]) end(o Outcome) {
	if !r.ended {
		r.ended, r.outcome = true, o
		close(r.decided)
	}
}

func (r *Rule[T]) admit(caller T) bool {
	r.valve.mu.Lock()
	defer r.valve.mu.Unlock()
	if r.ended || r.limit > 0 && len(r.arrived) >= r.limit {
		return false
	}
	r.arrived = append(r.arrived, caller)
	r.held++
	close(r.changed)
	r.changed = make(chan struct{})
	return true
}

func (r *Rule[T]) wait(ctx context.Context) Outcome {
	left := false
	select {
	case <-r.decided:
	case <-ctx.Done():
		left = true
	}
	r.valve.mu.Lock()
	defer r.valve.mu.Unlock()
	r.held--
	if left && !r.ended {
		return Outcome{Fate: Left}
	}
	return r.outcome
}
