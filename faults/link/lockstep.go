package link

import (
	"context"
	"sync"
	"time"
)

const (
	// calmFor is how long nobody else has to come before those who wait are let go together.
	calmFor = 3 * time.Millisecond
	// firstCalm is calmFor before the first step, when all are still on their way.
	firstCalm = 20 * time.Millisecond
	// idleFor is how long nobody has to come at all before the lockstep is over, firstIdle before the first step: on a busy machine
	// the first one takes its time, and where nobody comes all end before long.
	idleFor, firstIdle = 50 * time.Millisecond, time.Second
	// mostSteps bounds it, for those who never stop asking.
	mostSteps = 200
)

// Lockstep takes all who ask the upstream from one answer to the next together: nobody gets one before all of them, or all who
// come, wait for one. Whoever looks for something and then writes it has looked before anybody writes.
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

// calm is how long to wait for another one: not as long where there are as many as ever were, which is what the pool of whoever
// asks may allow.
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
