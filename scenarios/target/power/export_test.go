package power

import (
	"context"
	"sync"

	"github.com/oncespec/oncespec/faults/burst"
)

// OneByOne spoils the range: its requests are let go together, but take turns.
func (r *Range) OneByOne() {
	var turn sync.Mutex
	r.wrap = func(send func(context.Context, *burst.Flight)) func(context.Context, *burst.Flight) {
		return func(ctx context.Context, f *burst.Flight) {
			turn.Lock()
			defer turn.Unlock()
			send(ctx, f)
		}
	}
}

// Addr is where the server listens.
func (r *Range) Addr() string { return r.addrs[0] }

var (
	Floor   = floor
	AtLeast = atLeast
)
