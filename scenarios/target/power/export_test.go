package power

import (
	"context"
	"sync"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
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

// Bare has the requests of a barrier go past the fault links.
func (r *Range) Bare() { r.bare = true }

// Addr is where the server listens.
func (r *Range) Addr() string { return r.addrs[0] }

// Frozen is a range for a server that somebody else has started.
func Frozen(addr string, l life.Life) *Range {
	return &Range{name: burst.FreezeName, links: link.New(), addrs: []string{addr}, lives: herd{l}, rung: always(burst.Freeze(herd{l}))}
}

var (
	Floor   = floor
	AtLeast = atLeast
)
