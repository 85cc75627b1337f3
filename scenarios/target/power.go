package target

import (
	"context"
	"sync"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/power"
)

// powerTime is about how long the known-racy server is raced, once a run and rung.
const powerTime = 250 * time.Millisecond

// powers are what the rungs that were used can see.
type powers struct {
	mu    sync.Mutex
	known map[string]*history.Power
}

// power is what the rung sees of the known-racy server; it is measured before the rung is first used.
func (t *Target) power(ctx context.Context, rung string) *history.Power {
	t.powers.mu.Lock()
	defer t.powers.mu.Unlock()
	if p := t.powers.known[rung]; p != nil {
		return p
	}
	p, err := measure(ctx, power.Options{Command: t.racy, Rung: rung})
	if err != nil {
		p = history.Power{Rung: rung, Unmeasured: t.redact.text(err.Error())}
	}
	if t.powers.known == nil {
		t.powers.known = map[string]*history.Power{}
	}
	if ctx.Err() == nil {
		t.powers.known[rung] = &p
	}
	return &p
}

func measure(ctx context.Context, o power.Options) (history.Power, error) {
	r, err := power.Open(ctx, o)
	if err != nil {
		return history.Power{}, err
	}
	defer r.Close()
	return r.Measure(ctx, powerTime)
}
