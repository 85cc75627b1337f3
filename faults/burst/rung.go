package burst

import (
	"context"
	"errors"
	"sync"
	"time"
)

// holdLimit bounds how long a rung holds the target back for requests that are on their way.
const holdLimit = time.Second

// Names of the rungs, from the top of the ladder.
const (
	StoreHoldName    = "hold on the store link"
	StoreLatencyName = "latency on the store link"
	FreezeName       = "freeze, flush and release"
	HTTP2Name        = "HTTP/2 requests in one write"
	BarrierName      = "barrier on warm connections"
)

// Rung is one way to bring requests together: what is done to the target, or to what it depends on, around a burst. The zero
// value is the barrier alone. Any of the functions may be nil.
type Rung struct {
	Name string
	// Arm holds the target back, before the first byte is sent.
	Arm func(context.Context) error
	// Release lets it go, once all requests are there or holdLimit has passed. It is called after an Arm that failed as well.
	Release func(context.Context) error
	// During acts while the requests are in the air, after Release; its context ends when all shots have.
	During func(context.Context)
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

func (r Rung) holds() bool { return r.Release != nil || r.During != nil }

// letGo does what follows once all requests are there. A target that is held must be let go, whatever ended.
func (r Rung) letGo(ctx context.Context, ended *sync.WaitGroup) error {
	ctx = context.WithoutCancel(ctx)
	if r.Release != nil {
		if err := r.Release(ctx); err != nil {
			return err
		}
	}
	if r.During != nil {
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			ended.Wait()
			cancel()
		}()
		r.During(ctx)
	}
	return nil
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
