package burst

import (
	"context"
	"errors"
	"time"
)

// holdLimit bounds how long a rung holds the target back for requests that are on their way.
const holdLimit = time.Second

// Names of the rungs, from the top of the ladder.
const (
	FreezeName  = "freeze, flush and release"
	HTTP2Name   = "HTTP/2 requests in one write"
	BarrierName = "barrier on warm connections"
)

// Rung is one way to bring requests together: what is done to the target, or to what it depends on, around a burst. The zero
// value is the barrier alone. Any of the functions may be nil.
type Rung struct {
	Name string
	// Arm holds the target back, before the first byte is sent.
	Arm func(context.Context) error
	// Release lets it go, once all requests are there or holdLimit has passed. It is called after an Arm that failed as well.
	Release func(context.Context) error
	// End takes away what is left, when all shots have ended.
	End func()
}

// Barrier is the lowest rung: all shots are ready, then all go.
func Barrier() Rung { return Rung{Name: BarrierName} }

// Freezer stops a target in mid-step and lets it go on.
type Freezer interface {
	Pause(context.Context) error
	Resume(context.Context) error
}

// Freeze stands the target still, lets all requests collect in its sockets, and lets it go on: it finds them all at once.
func Freeze(f Freezer) Rung {
	return Rung{Name: FreezeName, Arm: f.Pause, Release: f.Resume}
}

func (r Rung) arm(ctx context.Context) error {
	if r.Arm == nil {
		return nil
	}
	err := r.Arm(ctx)
	if err != nil && r.Release != nil {
		err = errors.Join(err, r.Release(context.WithoutCancel(ctx))) // it may have acted in part
	}
	return err
}
