package provider

import "slices"

// Forget strikes the calls that match from the ledger, and the bookings under their keys: a long run would fill it. Whoever sends
// such a call again books anew.
func (g *Gate) Forget(match Match) { g.ledger.forget(match) }

func (l *ledger) forget(match Match) {
	gone, keys := map[int]bool{}, map[string]bool{}
	for _, c := range l.list(nil, match) {
		gone[c.Seq] = true
		keys[c.Key] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = slices.DeleteFunc(l.calls, func(c *Call) bool {
		if gone[c.Seq] {
			l.bytes -= c.size()
		}
		return gone[c.Seq]
	})
	for scoped := range l.bookings {
		if keys[scoped.key] {
			l.remembered -= int64(len(l.bookings[scoped].answer.body))
			delete(l.bookings, scoped)
		}
	}
	for key := range keys {
		delete(l.byKey, key)
	}
	l.notify()
}

// size is what a call takes in the ledger, about.
func (c *Call) size() int64 {
	size := int64(len(c.Body) + len(c.Path) + len(c.Query))
	for name, fields := range c.Header {
		for _, field := range fields {
			size += int64(len(name) + len(field))
		}
	}
	return size
}
