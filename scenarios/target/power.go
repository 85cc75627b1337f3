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
	known map[power.Options]*history.Power
}

// power is what the rung sees of the known-racy server, or of several on one store where the requests of a burst go to several
// instances; it is measured before the rung is first used like that.
func (t *Target) power(ctx context.Context, rung string, flights []*Flight) *history.Power {
	at := map[*instance]bool{}
	for _, f := range flights {
		at[f.at] = true
	}
	way := power.Options{Rung: rung, Replicas: len(at)}
	t.powers.mu.Lock()
	defer t.powers.mu.Unlock()
	if p := t.powers.known[way]; p != nil {
		return p
	}
	p, err := measure(ctx, t.racy, way)
	if err != nil {
		p = history.Power{Rung: rung, Unmeasured: t.redact.text(err.Error())}
	}
	if t.powers.known == nil {
		t.powers.known = map[power.Options]*history.Power{}
	}
	if ctx.Err() == nil {
		t.powers.known[way] = &p
	}
	return &p
}

func measure(ctx context.Context, command []string, o power.Options) (history.Power, error) {
	r, err := power.Open(ctx, command, o)
	if err != nil {
		return history.Power{}, err
	}
	defer r.Close()
	return r.Measure(ctx, powerTime)
}
