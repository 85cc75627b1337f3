package link

import (
	"context"
	"sync"
	"time"
)

const (
	// calmFor is how long no further connection may arrive before those that wait are let go together.
	calmFor = 3 * time.Millisecond
	// firstCalm is calmFor before the first step, when all are still on their way.
	firstCalm = 20 * time.Millisecond
	// idleFor is how long no connection at all may arrive before the lockstep is over.
	idleFor, firstIdle = 50 * time.Millisecond, time.Second
	// mostSteps bounds the steps, for upstream clients that never stop asking.
	mostSteps = 200
)

// Lockstep takes all connections from one answer of the upstream to the next together: none gets an answer before all of them,
// or all that come, wait for one. Clients that look something up and then write it have thus all looked before any of them
// writes.
type Lockstep struct {
	relay *Relay
	want  int // connections

	mu   sync.Mutex
	halt *Halt
	most int
}

// Lockstep prepares one for so many connections at a time.
func (r *Relay) Lockstep(want int) *Lockstep { return &Lockstep{relay: r, want: want} }

// Arm begins to hold answers.
func (l *Lockstep) Arm(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.halt = l.relay.Hold(Answers, 0)
	return nil
}

// Run goes from step to step until nobody comes any more or the context ends. Then everything is let go.
func (l *Lockstep) Run(ctx context.Context) {
	l.mu.Lock()
	halt := l.halt
	l.mu.Unlock()
	if halt == nil {
		return
	}
	defer halt.Release()
	for step := range mostSteps {
		idle := idleFor
		if step == 0 {
			idle = firstIdle
		}
		if !within(ctx, idle, halt, 1) {
			return
		}
		held := halt.Holding()
		for held < l.want && within(ctx, l.calm(step, held), halt, held+1) {
			held = halt.Holding()
		}
		l.mu.Lock()
		l.most = max(l.most, held)
		l.mu.Unlock()
		halt.Step()
	}
}

// calm is how long to wait for another connection: shorter once as many wait as ever did, since that may be all that the
// client's pool allows.
func (l *Lockstep) calm(step, held int) time.Duration {
	if step == 0 {
		return firstCalm
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.most > 1 && held >= l.most {
		return calmFor / 3
	}
	return calmFor
}

// within tells whether so many connections are held before the time is over.
func within(ctx context.Context, limit time.Duration, halt *Halt, n int) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return halt.Arrived(ctx, n) == nil
}

// End lets everything go.
func (l *Lockstep) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.halt != nil {
		l.halt.Release()
	}
}

// Most is on how many connections answers were held at one moment.
func (l *Lockstep) Most() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.most
}
