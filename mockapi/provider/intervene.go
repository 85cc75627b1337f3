package provider

import (
	"context"
	"sync"

	"github.com/oncespec/oncespec/faults/valve"
)

// Hold holds calls. One decision (Release, Book, Fail or Drop) ends it: the held calls meet that fate, later ones it does not
// see. Only the first decision counts. A held call stays held when its caller goes away, until the decision.
type Hold struct{ hold *valve.Hold[Call] }

// Hold holds the next calls that match and are no lookups, at most limit of them (0: all until the decision).
func (g *Gate) Hold(when When, match Match, limit int) *Hold {
	v := &g.before
	if when == AfterBooking {
		v = &g.after
	}
	return &Hold{v.Hold(match.picks, limit)}
}

// Arrived waits for the first held call.
func (h *Hold) Arrived(ctx context.Context) (Call, error) {
	calls, err := h.hold.Wait(ctx, 1)
	if err != nil {
		return Call{}, err
	}
	return calls[0], nil
}

// AllArrived waits for n held calls. When the context ends first, those so far come with an error.
func (h *Hold) AllArrived(ctx context.Context, n int) ([]Call, error) { return h.hold.Wait(ctx, n) }

// Count is how many calls it has held so far.
func (h *Hold) Count() int { return h.hold.Arrived() }

// Release lets the held calls go on, as if nothing had been. One held before booking whose caller has gone books nothing.
func (h *Hold) Release() { h.hold.Release() }

// Book lets the held calls go on, and book even where the caller has gone: the call had reached the provider.
func (h *Hold) Book() { h.hold.Force() }

// Fail answers the held calls with a status (503 if it is not between 200 and 599). Those held before booking book nothing.
func (h *Hold) Fail(status int) { h.hold.Fail(status) }

// Drop closes the held calls' connections without an answer. Those held before booking book nothing.
func (h *Hold) Drop() { h.hold.Drop() }

// Intervention changes what happens to calls, until its limit is reached or it is ended.
type Intervention struct {
	match  Match
	limit  int
	status int // answered with; 0 is to close the connection

	mu    sync.Mutex
	hits  int
	ended bool
}

// Fail answers the next calls that match and are no lookups with a status, and books nothing. A limit of 0 is no limit; a
// status that is not between 200 and 599 counts as 503.
func (g *Gate) Fail(match Match, limit, status int) *Intervention {
	return g.failing.add(match, limit, sane(status))
}

// Lose lets the next calls that match and are no lookups book, and closes their connections without an answer.
func (g *Gate) Lose(match Match, limit int) *Intervention { return g.losing.add(match, limit, 0) }

// LoseLookups closes the connections of the next lookups that match without an answer.
func (g *Gate) LoseLookups(match Match, limit int) *Intervention {
	return g.lookups.add(match, limit, 0)
}

// Hits is how many calls it has changed so far.
func (i *Intervention) Hits() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.hits
}

// End lets later calls pass. It may be called more than once.
func (i *Intervention) End() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = true
}

func (i *Intervention) over() bool { return i.ended || i.limit > 0 && i.hits >= i.limit }

func (i *Intervention) take(c Call) bool {
	if !i.match.picks(c) {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over() {
		return false
	}
	i.hits++
	return true
}

func sane(status int) int {
	if status < 200 || status > 599 {
		return 503
	}
	return status
}

// interventions of one kind. The one placed first takes a call.
type interventions struct {
	mu   sync.Mutex
	list []*Intervention
}

func (is *interventions) add(match Match, limit, status int) *Intervention {
	i := &Intervention{match: match, limit: limit, status: status}
	is.mu.Lock()
	defer is.mu.Unlock()
	is.list = append(is.list, i)
	return i
}

// take returns the intervention for a call, or nil.
func (is *interventions) take(c Call) *Intervention {
	is.mu.Lock()
	live := make([]*Intervention, 0, len(is.list))
	for _, i := range is.list {
		i.mu.Lock()
		if !i.over() {
			live = append(live, i)
		}
		i.mu.Unlock()
	}
	is.list = live
	is.mu.Unlock()
	for _, i := range live {
		if i.take(c) {
			return i
		}
	}
	return nil
}
