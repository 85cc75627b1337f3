package life

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	defaultReadyWithin = 10 * time.Second
	// One look at whether the target is ready may take this long; a target that accepts and stays silent is not ready.
	lookLimit = 2 * time.Second
	// Between looks: short at first, since most targets are up in milliseconds.
	firstPause = time.Millisecond
	lastPause  = 50 * time.Millisecond
	// A port of a process that was killed a moment ago may be taken for so long.
	portLimit = time.Second
)

// awaitReady looks until ready says yes, the limit is reached, or gone is closed (errGone).
func awaitReady(ctx context.Context, ready func(context.Context) error, within time.Duration, gone <-chan struct{}) error {
	if ready == nil {
		return nil
	}
	if within <= 0 {
		within = defaultReadyWithin
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var last error
	for pause := firstPause; ; pause = min(pause*3/2, lastPause) {
		err := look(limited, ready, gone)
		select {
		case <-gone:
			return errGone
		default:
		}
		if err == nil {
			return nil
		}
		// Being cut off by the limit says less than what was seen before.
		if last == nil || limited.Err() == nil {
			last = err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-gone:
		case <-limited.Done():
		}
		timer.Stop()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case limited.Err() != nil:
			return fmt.Errorf("%w: waited %v, last seen: %v", ErrNotReady, within, last)
		}
	}
}

var errGone = errors.New("the process is gone")

func look(ctx context.Context, ready func(context.Context) error, gone <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-gone:
			cancel()
		case <-done:
		}
	}()
	return ready(ctx)
}

// awaitFree waits a moment for an address to be free to listen on.
func awaitFree(ctx context.Context, addr string) error {
	limited, cancel := context.WithTimeout(ctx, portLimit)
	defer cancel()
	for pause := firstPause; ; pause = min(pause*2, lastPause) {
		l, err := net.Listen("tcp", addr)
		if err == nil {
			return l.Close()
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-limited.Done():
			timer.Stop()
			return err
		}
	}
}
