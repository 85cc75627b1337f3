package link

import (
	"context"
	"time"
)

// Spare lets pass what comes on connections that wait for nothing, until end is called: those on which the upstream owes no answer
// and nothing is kept back now, and new ones. Whoever dialled the relay can then use another connection for something else, while
// what the halt has stopped stands still. What passes is not counted among the pieces to skip.
func (h *Halt) Spare() (end func()) {
	r := h.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	h.only = map[*span]bool{}
	for s := range r.spans {
		if s.owed || h.holding[s] > 0 {
			h.only[s] = true
		}
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		h.only = nil
	}
}

// Rejoined waits until each connection that the latest Step let go has been heard of again, or is gone: until then it may be about
// to ask something, and Spare would let that pass. False: the limit was reached, or the context ended, before that.
func (h *Halt) Rejoined(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		h.relay.mu.Lock()
		away, over, changed := len(h.away), h.over, h.changed
		h.relay.mu.Unlock()
		if away == 0 || over {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-h.relay.done:
			return false
		}
	}
}

// rejoin notes that a connection was heard of, or is gone. The caller holds the relay's lock.
func (h *Halt) rejoin(s *span) {
	if h.away[s] {
		delete(h.away, s)
		h.notify()
	}
}
