package provider

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// ledger holds the calls and the bookings.
type ledger struct {
	maxCalls int
	maxBytes int64

	mu         sync.Mutex
	calls      []*Call
	arrived    int
	bytes      int64
	unrecorded int
	open       int // calls the gate has not answered yet
	bookings   map[scopedKey]*booking
	remembered int64               // bytes of their answers
	byKey      map[string]*booking // the first one with that key on any route
	booked     int
	changed    chan struct{} // closed and replaced at every change
}

// scopedKey: two routes are two services, which do not share their keys.
type scopedKey struct {
	route int
	key   string
}

func newLedger(o Options) *ledger {
	return &ledger{
		maxCalls: o.MaxCalls,
		maxBytes: o.MaxBytes,
		bookings: map[scopedKey]*booking{},
		byKey:    map[string]*booking{},
		changed:  make(chan struct{}),
	}
}

// add records a call, if there is room for it.
func (l *ledger) add(c *Call) {
	size := c.size()
	c.bloom = bloomOf(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) >= l.maxCalls || l.bytes+size > l.maxBytes {
		l.unrecorded++
		return
	}
	l.bytes += size
	l.arrived++
	c.Seq = l.arrived
	l.calls = append(l.calls, c)
	l.notify()
}

// update changes a call under the lock and returns it as it is then.
func (l *ledger) update(c *Call, change func(*Call)) Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := c.Key
	if change(c); c.Key != key {
		c.bloom.add([]byte(c.Key))
	}
	l.notify()
	return *c
}

func (l *ledger) snapshot(c *Call) Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *c
}

// notify wakes those who wait for a change. The caller holds the lock.
func (l *ledger) notify() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *ledger) enter(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open += n
	l.notify()
}

// book makes the call a booking, or the repeat of one; nil: its key was booked for something else, which the call then says.
func (l *ledger) book(c *Call, route int, fill func(id string) answer) *booking {
	payload := digestOf(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.notify()
	scoped := scopedKey{route, c.Key}
	if c.Key != "" {
		if b := l.bookings[scoped]; b != nil && b.payload != payload {
			c.Refused, c.BookingID = anotherPayload, b.id
			return nil
		} else if b != nil {
			c.Repeat, c.BookingID = true, b.id
			return b
		}
	}
	l.booked++
	b := &booking{id: fmt.Sprintf("bk_%d", l.booked), payload: payload}
	b.answer = fill(b.id)
	c.Booked, c.BookingID = true, b.id
	if c.Key != "" && len(l.bookings) < 2*l.maxCalls && l.remembered < l.maxBytes {
		l.remembered += int64(len(b.answer.body))
		l.bookings[scoped] = b
		if l.byKey[c.Key] == nil {
			l.byKey[c.Key] = b
		}
	}
	return b
}

func (l *ledger) lookup(key string) *booking {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byKey[key]
}

// list returns the calls that may carry one of the values, nil: all, and that match.
func (l *ledger) list(values []string, match Match) []Call {
	l.mu.Lock()
	var found []Call
	if values == nil {
		found = make([]Call, 0, len(l.calls))
	}
	for _, c := range l.calls {
		if values == nil || slices.ContainsFunc(values, c.bloom.mayHold) {
			found = append(found, *c)
		}
	}
	l.mu.Unlock()
	// Matched outside the lock, so that a match may ask the gate.
	picked := found[:0]
	for _, c := range found {
		if match.picks(c) {
			picked = append(picked, c)
		}
	}
	return picked
}

// wait returns once enough says so; it is asked again at every change.
func (l *ledger) wait(ctx context.Context, enough func() bool) error {
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if enough() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Calls returns the calls that match, in order of arrival.
func (g *Gate) Calls(match Match) []Call { return g.ledger.list(nil, match) }

// CallsWith returns the calls that match, of those that carry one of the values; the match still has to say where. Among
// thousands of calls it finds a few much sooner than Calls does.
func (g *Gate) CallsWith(values []string, match Match) []Call {
	if len(values) == 0 {
		return nil
	}
	return g.ledger.list(values, match)
}

// Bookings returns the calls that match and made a booking. Their number is the number of effects downstream.
func (g *Gate) Bookings(match Match) []Call {
	return g.ledger.list(nil, func(c Call) bool { return c.Booked && match.picks(c) })
}

// WaitCalls waits until n calls match, and returns all that do. A call is asked about again whenever something about it changes,
// so a match may wait for a booking, an answer, or a caller that has gone. When the context ends first, the calls so far come
// with an error.
func (g *Gate) WaitCalls(ctx context.Context, match Match, n int) ([]Call, error) {
	var calls []Call
	err := g.ledger.wait(ctx, func() bool {
		calls = g.ledger.list(nil, match)
		return len(calls) >= n
	})
	if err != nil {
		return calls, fmt.Errorf("waiting for %d calls downstream, %d came: %w", n, len(calls), err)
	}
	return calls, nil
}

// InProgress is the number of calls that have begun and are not answered yet, held ones included.
func (g *Gate) InProgress() int {
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	return g.ledger.open
}

// WaitIdle waits until no call is in progress.
func (g *Gate) WaitIdle(ctx context.Context) error {
	if err := g.ledger.wait(ctx, func() bool { return g.InProgress() == 0 }); err != nil {
		return fmt.Errorf("waiting for the downstream gate to be idle, %d calls in progress: %w", g.InProgress(), err)
	}
	return nil
}

// Unrecorded counts calls that the full ledger had no room for. Unless it is 0 the ledger proves nothing about how many calls and
// bookings there were.
func (g *Gate) Unrecorded() int {
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	return g.ledger.unrecorded
}
