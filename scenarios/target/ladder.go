package target

import (
	"context"
	"slices"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/life"
)

// way is how the requests of one burst are brought together: the rung, and how they are put on the wire for it.
type way struct {
	burst.Rung
	ahead   bool // all but the end of each header is sent before
	streams bool // over one HTTP/2 connection an instance
}

func onBarrier() way { return way{Rung: burst.Barrier()} }

// climb finds the best way for a burst: the higher a rung, the wider the window that two requests have to meet in, or the closer
// they arrive.
func (t *Target) climb(ctx context.Context, flights []*Flight) way {
	var at []*instance
	whole := true
	for _, f := range flights {
		if !slices.Contains(at, f.at) {
			at = append(at, f.at)
		}
		whole = whole && f.plain() && f.send.GiveUp == nil
	}
	for _, rung := range t.ladder {
		if w, can := rung(ctx, at, whole); can {
			return w
		}
	}
	return onBarrier()
}

// rung is one of the ladder: a way for a burst at these instances, where it can be gone. Whole requests go out as they were
// composed, with nothing planned for their connections.
type rung func(ctx context.Context, at []*instance, whole bool) (way, bool)

func (t *Target) rungs() []rung {
	return []rung{t.freezing, t.inOneWrite}
}

// freezing stands all instances still while the requests collect in their sockets.
func (t *Target) freezing(_ context.Context, at []*instance, _ bool) (way, bool) {
	for _, i := range at {
		if i.life == nil || !i.life.Can().Has(life.CanPause|life.CanResume) {
			return way{}, false
		}
	}
	return way{Rung: burst.Freeze(instances(at)), ahead: true}, true
}

// instances are frozen together.
type instances []*instance

func (all instances) Pause(ctx context.Context) error {
	for _, i := range all {
		i.becomes(still) // also where it is not known: it is told to go on in the end
		if err := i.life.Pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (all instances) Resume(ctx context.Context) (first error) {
	for _, i := range all {
		err := i.life.Resume(ctx)
		if err == nil {
			i.becomes(serving)
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// inOneWrite has all requests leave together, where every instance speaks HTTP/2.
func (t *Target) inOneWrite(ctx context.Context, at []*instance, whole bool) (way, bool) {
	if !whole {
		return way{}, false
	}
	for _, i := range at {
		if !t.speaksHTTP2(ctx, i) {
			return way{}, false
		}
	}
	return way{Rung: burst.Rung{Name: burst.HTTP2Name}, streams: true}, true
}

// speaksHTTP2 asks once.
func (t *Target) speaksHTTP2(ctx context.Context, i *instance) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.http2 == nil {
		k, err := t.openTrunk(ctx, i)
		if err == nil {
			k.close()
		} else if ctx.Err() != nil {
			return false
		}
		speaks := err == nil
		i.http2 = &speaks
	}
	return *i.http2
}
