package link

import (
	"context"
	"fmt"
	"slices"
)

// Halt keeps back what goes one way on a relay, from a piece on that is chosen beforehand.
type Halt struct {
	relay *Relay
	dir   Direction
	skip  int

	// All below is guarded by the relay's lock.
	seen    int // pieces since it was placed
	round   int // what was kept back in an earlier one may go
	over    bool
	holding map[*span]int  // pieces kept back now
	away    map[*span]bool // let go by the latest Step, and not heard of since
	only    map[*span]bool // nil: what comes on others is kept back too
	total   int
	changed chan struct{}
}

// Hold keeps back pieces that go one way, on all connections, until Release. It lets the first skip pieces pass. What stands
// behind a piece that is kept back waits too. A piece that several halts would keep back is kept back by the first.
func (r *Relay) Hold(dir Direction, skip int) *Halt {
	h := &Halt{relay: r, dir: dir, skip: max(0, skip), holding: map[*span]int{}, changed: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.halts = append(r.halts, h)
	return h
}

// Release lets everything go, in order, and ends the halt.
func (h *Halt) Release() {
	r := h.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	h.end()
}

// end ends the halt. The caller holds the relay's lock.
func (h *Halt) end() {
	if h.over {
		return
	}
	h.over = true
	h.turn()
	h.relay.halts = slices.DeleteFunc(slices.Clone(h.relay.halts), func(other *Halt) bool { return other == h })
}

// turn lets go what is kept back. The caller holds the relay's lock.
func (h *Halt) turn() {
	h.round++
	h.holding = map[*span]int{}
	h.notify()
	h.relay.notify()
}

// Step lets go what is kept back now, and keeps back what comes after it. It returns how many pieces went.
func (h *Halt) Step() int {
	r := h.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	h.away = map[*span]bool{}
	for s, pieces := range h.holding {
		n += pieces
		h.away[s] = true
	}
	h.turn()
	return n
}

// Arrived waits until n connections at once have something kept back. It ends early, with an error, when the context ends or
// the halt is released.
func (h *Halt) Arrived(ctx context.Context, n int) error {
	for {
		h.relay.mu.Lock()
		holding, over, changed := len(h.holding), h.over, h.changed
		h.relay.mu.Unlock()
		switch {
		case holding >= n:
			return nil
		case over:
			return fmt.Errorf("waiting for %d connections to be held, %d were: the halt is over", n, holding)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d connections to be held, %d were: %w", n, holding, context.Cause(ctx))
		case <-h.relay.done:
			return fmt.Errorf("waiting for %d connections to be held, %d were: the relay was closed", n, holding)
		}
	}
}

// Holding is on how many connections something is kept back now.
func (h *Halt) Holding() int {
	h.relay.mu.Lock()
	defer h.relay.mu.Unlock()
	return len(h.holding)
}

// Held is how many pieces were ever kept back.
func (h *Halt) Held() int {
	h.relay.mu.Lock()
	defer h.relay.mu.Unlock()
	return h.total
}

// notify wakes those who wait for a change. The caller holds the relay's lock.
func (h *Halt) notify() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// take keeps a piece back, or not. The caller holds the relay's lock.
func (h *Halt) take(dir Direction, s *span) bool {
	if h.over || dir != h.dir || h.only != nil && !h.only[s] {
		return false
	}
	h.seen++
	if h.seen <= h.skip {
		return false
	}
	h.holding[s]++
	h.total++
	h.notify()
	return true
}

// gave notes that a piece which came in a round is not kept back any more. The caller holds the relay's lock.
func (h *Halt) gave(s *span, round int) {
	if round != h.round {
		return // it went with all of that round
	}
	if h.holding[s]--; h.holding[s] <= 0 {
		delete(h.holding, s)
	}
	h.notify()
}
