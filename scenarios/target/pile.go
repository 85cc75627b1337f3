package target

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/scenarios/history"
)

// Pile is a target that has received some requests at one moment, and is at work on them.
type Pile struct {
	Flights []*Flight

	stage *Stage
	reins *life.Reins
	steps bool // the reins can stop it and let it go
	still time.Duration
	since time.Time // it was stopped; zero: it runs
}

// Pile lets the target receive all shots at one moment, and calls during while it is at work on them. Where the target can be
// paused, it stands still while the requests collect in its sockets, and is let go once it has all of them; else they leave
// together, and it may have answered the first by the time it has the last. During is called as soon as it has them all, and
// may go on; the error is that the target cannot be woken. Pile returns when all flights have ended.
func (s *Stage) Pile(ctx context.Context, label string, shots []Shot, during func(*Pile)) (cannotWake error) {
	b := &BurstFlight{done: make(chan struct{})}
	failed := make([]error, len(shots))
	for i, shot := range shots {
		var f *Flight
		f, failed[i] = s.board(ctx, shot.Intent, shot.Send)
		b.flights = append(b.flights, f)
		s.target.unpaced()
	}
	s.mu.Lock()
	s.bursts = append(s.bursts, b)
	s.mu.Unlock()
	defer close(b.done)

	p := &Pile{Flights: b.flights, stage: s}
	way := onBarrier()
	way.During = func(context.Context) { during(p) }
	if s.Can(life.CanPause | life.CanResume) {
		stands := false
		way.Name, way.ahead = burst.FreezeName, true
		way.Arm = func(ctx context.Context) error {
			if stands = s.Instance(0).Pause(ctx, nil, "", nil) == nil; stands {
				p.reins, p.steps = life.TakeReins(s.target.first().life)
			}
			return nil // they come together all the same
		}
		way.Release = func(ctx context.Context) error {
			if !stands {
				return nil
			}
			cannotWake = s.Instance(0).wake(ctx)
			return cannotWake
		}
	}
	s.fire(ctx, label, way, b.flights, failed)
	return cannotWake
}

// wake is Resume; Given is the latest moment at which it may have stood still, since what it does is counted from then on.
func (n *Instance) wake(ctx context.Context) error {
	err := n.it.life.Resume(ctx)
	if err == nil {
		n.it.becomes(serving)
	}
	return n.record(&history.Fault{Kind: history.FaultResume, Given: n.stage.target.clock.now()}, nil, "resuming", err)
}

// Steps tells whether the target can be had to work in steps.
func (p *Pile) Steps() bool { return p.steps }

// Stop has the target stand still until Go. What it has written can be read meanwhile, however busy the machine is.
func (p *Pile) Stop() error {
	if !p.since.IsZero() {
		return nil
	}
	p.since = time.Now()
	return p.reins.Stop()
}

// Go has it work on.
func (p *Pile) Go() error {
	if p.since.IsZero() {
		return nil
	}
	p.still += time.Since(p.since)
	p.since = time.Time{}
	return p.reins.Go()
}

// Kill kills it where it stands, and records how long it stood still before.
func (p *Pile) Kill(ctx context.Context) error {
	if !p.since.IsZero() {
		p.still += time.Since(p.since)
	}
	if p.still > 0 {
		p.stage.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultSteps, Landed: true, Moved: p.still.Microseconds()}})
	}
	return p.stage.Kill(ctx, nil, history.PhaseUnknown, nil)
}
