package target

import (
	"context"
	"sync"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// Shot is one request of a burst.
type Shot struct {
	Intent *Intent
	Send   Send
}

// BurstFlight is a burst under way.
type BurstFlight struct {
	flights []*Flight
	done    chan struct{}
}

// Flights are those of the shots, in their order.
func (b *BurstFlight) Flights() []*Flight { return b.flights }

// Wait returns the attempts in the order of the shots, when all outcomes are known. When the context ends first, the clients
// give up.
func (b *BurstFlight) Wait(ctx context.Context) []*history.Attempt {
	attempts := make([]*history.Attempt, len(b.flights))
	for i, f := range b.flights {
		attempts[i] = f.Wait(ctx)
	}
	<-b.done
	return attempts
}

// Burst sends all shots at once, by the best rung of the ladder that can be used, records a history.Burst under label and returns
// the attempts in the order of the shots.
func (s *Stage) Burst(ctx context.Context, label string, shots []Shot) []*history.Attempt {
	return s.GoBurst(ctx, label, shots).Wait(ctx)
}

// GoBurst is Burst without waiting for the answers, for work that is held meanwhile.
func (s *Stage) GoBurst(ctx context.Context, label string, shots []Shot) *BurstFlight {
	b := &BurstFlight{done: make(chan struct{})}
	failed := make([]error, len(shots))
	for i, shot := range shots {
		if shot.Send.Label == "" {
			shot.Send.Label = label
		}
		var f *Flight
		f, failed[i] = s.board(ctx, shot.Intent, shot.Send)
		b.flights = append(b.flights, f)
		s.target.unpaced()
	}
	way := s.climb(ctx, b.flights)
	s.rec.setRung(way.Name, s.target.power(ctx, way.Name, b.flights))
	s.mu.Lock()
	s.bursts = append(s.bursts, b)
	s.mu.Unlock()
	go func() {
		defer close(b.done)
		s.fire(ctx, label, way, b.flights, failed)
	}()
	return b
}

// fire makes all flights ready, lets them go at once and records how far they were together.
func (s *Stage) fire(ctx context.Context, label string, way way, flights []*Flight, failed []error) {
	ready, done := s.ready(ctx, &way, flights, failed)
	defer done()
	var shots []burst.Shot
	sum := history.Burst{Label: label, Rung: way.Name}
	for i, f := range flights {
		sum.Attempts = append(sum.Attempts, f.attempt.ID)
		if failed[i] != nil {
			f.land(wire.Result{Outcome: history.Unsent, Reason: failed[i].Error()})
			continue
		}
		shots = append(shots, burst.Shot{Delivered: ready[i].Delivered, Send: func(ctx context.Context, times *burst.Flight) {
			limited, cancel := context.WithTimeout(f.ctx, f.timeout())
			defer cancel()
			ready[i].Send(limited, times)
		}})
	}
	v := burst.Fire(ctx, way.Rung, shots)
	if v.Err != nil {
		sum.Rung = burst.BarrierName
		s.Note("%s could not be used: %v", way.Name, v.Err)
	}
	sum.Delivered = v.Delivered
	if way.atStore != nil {
		sum.AtStore = way.atStore()
	}
	sum.Together, sum.Overlapped = burst.Overlap(v.Flights), burst.Overlapped(v.Flights)
	sum.Strong = s.rec.heldTogether(flights) > 1 || sum.AtStore > 2
	s.rec.add(history.Event{Burst: &sum})
}

// ready makes a shot of each flight that did not fail; done is called when all have landed. A way that cannot be gone gives way to
// the barrier.
func (s *Stage) ready(ctx context.Context, way *way, flights []*Flight, failed []error) (shots []burst.Shot, done func()) {
	if way.streams {
		shots, done, err := s.streams(ctx, way, flights, failed)
		if err == nil {
			return shots, done
		}
		s.Note("%s could not be used: %v", way.Name, err)
		*way = onBarrier()
	}
	shots = make([]burst.Shot, len(flights))
	var warming sync.WaitGroup
	for i, f := range flights {
		if failed[i] == nil {
			warming.Go(func() { shots[i], failed[i] = f.warm(way.ahead) })
		}
	}
	warming.Wait()
	if way.ahead {
		Pause(ctx, acceptPause)
	}
	return shots, func() {}
}

// heldTogether counts the flights whose request the target had whole while the call of one of them was held.
func (r *recorder) heldTogether(flights []*Flight) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range flights {
		_, until, held := r.history.Held(f.intent.ID)
		link := f.attempt.Link
		if held && link.RequestWhole && link.LastRequestAt > 0 && link.LastRequestAt < until {
			n++
		}
	}
	return n
}
