package target

import (
	"context"
	"errors"
	"slices"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target/power"
)

// way is how the requests of one burst are brought together: the rung, and how they are put on the wire for it.
type way struct {
	burst.Rung
	ahead   bool       // all but the end of each header is sent before
	streams bool       // over one HTTP/2 connection an instance
	atStore func() int // after it was fired: how many requests were held at the store link at one moment; nil: nobody looked
}

func onBarrier() way { return way{Rung: burst.Barrier()} }

// climb finds the best way for a burst: the higher a rung, the wider the window that two requests have to meet in, or the closer
// they arrive.
func (s *Stage) climb(ctx context.Context, flights []*Flight) way {
	t := s.target
	var at []*instance
	whole := true
	for _, f := range flights {
		if !slices.Contains(at, f.at) {
			at = append(at, f.at)
		}
		whole = whole && f.plain() && f.send.GiveUp == nil
	}
	for _, rung := range t.ladder {
		if w, can := rung(ctx, s, at, len(flights), whole); can {
			return w
		}
	}
	return onBarrier()
}

// rung is one of the ladder: a way for a burst of n requests at these instances, where it can be gone. Whole requests go out as
// they were composed, with nothing planned for their connections.
type rung func(ctx context.Context, s *Stage, at []*instance, n int, whole bool) (way, bool)

func (t *Target) rungs() []rung {
	return []rung{t.holdingStore, t.slowingStore, t.freezing, t.inOneWrite}
}

// holdingStore takes all requests from one answer of the database to the next together. It is of no use where they do not ask it
// at the same time.
func (t *Target) holdingStore(_ context.Context, s *Stage, _ []*instance, n int, _ bool) (way, bool) {
	if t.store == nil || !s.Has(catalogue.NeedStoreLink) || t.storeShallow.Load() {
		return way{}, false
	}
	rung, lock := power.HoldStore(t.store, n)
	atStore := func() int {
		most := lock.Most()
		if n > 1 && most < 2 {
			t.storeShallow.Store(true)
		}
		return most
	}
	return way{Rung: rung, atStore: atStore}, true
}

// slowingStore has every answer of the database come late: between a look and what follows from it there is time for others.
func (t *Target) slowingStore(_ context.Context, s *Stage, _ []*instance, _ int, _ bool) (way, bool) {
	switch {
	case !s.Has(catalogue.NeedStoreCut):
		return way{}, false
	case t.remoteStore != nil:
		return way{Rung: slowRemoteStore(t.remoteStore)}, true
	case t.store != nil:
		return way{Rung: power.SlowStore(t.store)}, true
	}
	return way{}, false
}

// freezing stands all instances still while the requests collect in their sockets.
func (t *Target) freezing(_ context.Context, _ *Stage, at []*instance, _ int, _ bool) (way, bool) {
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
		i.becomes(frozen)
	}
	return nil
}

// Resume has them go on together: one that woke first would have answered before the next did.
func (all instances) Resume(ctx context.Context) error {
	var lives []life.Life
	for _, i := range all {
		lives = append(lives, i.life)
	}
	errs := life.ResumeAll(ctx, lives)
	for n, i := range all {
		if errs[n] == nil {
			i.becomes(serving)
		}
	}
	return errors.Join(errs...)
}

// inOneWrite has all requests leave together, where every instance speaks HTTP/2.
func (t *Target) inOneWrite(ctx context.Context, _ *Stage, at []*instance, _ int, whole bool) (way, bool) {
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
		k, err := t.openShared(ctx, i)
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
