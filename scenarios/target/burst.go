package target

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

const (
	// barrier is the rung on which simultaneous requests are brought together.
	barrier = "barrier on warm connections"
	// warmLimit bounds the wait for connections to reach the target.
	warmLimit = 2 * time.Second
	// warmPause is between two looks at whether a connection has; there is no event for it.
	warmPause = 200 * time.Microsecond
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

// Burst sends all shots at once on connections opened before, records a history.Burst under label and returns the attempts
// in the order of the shots.
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
	s.mu.Lock()
	s.bursts = append(s.bursts, b)
	s.mu.Unlock()
	go func() {
		defer close(b.done)
		s.fire(ctx, label, b.flights, failed)
	}()
	return b
}

// fire connects all flights, lets them go at once and records how far they were together.
func (s *Stage) fire(ctx context.Context, label string, flights []*Flight, failed []error) {
	conns := make([]net.Conn, len(flights))
	var warming sync.WaitGroup
	for i, f := range flights {
		if failed[i] == nil {
			warming.Go(func() { conns[i], failed[i] = f.warm() })
		}
	}
	warming.Wait()

	var shots []burst.Shot
	var sum history.Burst
	for i, f := range flights {
		sum.Attempts = append(sum.Attempts, f.attempt.ID)
		if failed[i] != nil {
			f.land(wire.Result{Outcome: history.Unsent, Reason: failed[i].Error()})
			continue
		}
		shots = append(shots, func(_ context.Context, times *burst.Flight) {
			limited, cancel := context.WithTimeout(f.ctx, f.timeout())
			defer cancel()
			result := f.exchange(limited, conns[i],
				func(at time.Time) { times.Written = at },
				func(at time.Time) { times.Answered = at })
			f.land(result)
		})
	}
	times := burst.Fire(ctx, shots)
	sum.Label, sum.Rung = label, barrier
	sum.Together, sum.Overlapped = burst.Overlap(times), burst.Overlapped(times)
	sum.Strong = s.rec.heldTogether(flights) > 1
	s.rec.setRung(barrier)
	s.rec.add(history.Event{Burst: &sum})
}

// warm opens the connection all the way to the target.
func (f *Flight) warm() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(f.ctx, warmLimit)
	defer cancel()
	conn, err := f.dial(ctx)
	if err != nil {
		return nil, err
	}
	for {
		if proof := f.wire.Proof(); proof.Connections > 0 || proof.DialError != "" {
			return conn, nil
		}
		if !Pause(ctx, warmPause) {
			return conn, nil // it is sent all the same; whether it was together with the others is seen from its times
		}
	}
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
