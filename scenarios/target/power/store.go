package power

import (
	"context"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/racy"
)

// Latency is how much later what passes a store link arrives, each way: many times what a query takes.
const Latency = time.Millisecond

// HoldStore takes n requests from one answer of the database to the next together. The lockstep tells how many there were.
func HoldStore(r *link.Relay, n int) (burst.Rung, *link.Lockstep) {
	lock := r.Lockstep(n)
	return burst.Rung{Name: burst.StoreHoldName, Arm: lock.Arm, During: lock.Run, End: lock.End}, lock
}

// SlowStore has everything between target and database come late: between a look and what follows from it there is time for
// others.
func SlowStore(r *link.Relay) burst.Rung {
	return burst.Rung{
		Name: burst.StoreLatencyName,
		Arm:  func(context.Context) error { r.Delay(Latency); return nil },
		End:  func() { r.Delay(0) },
	}
}

// openStore puts the known-racy servers' records where all find them, behind a link or not.
func (r *Range) openStore(ctx context.Context, linked bool) error {
	store, err := racy.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	r.closed = append(r.closed, store.Close)
	if !linked {
		r.stored = []string{store.Addr()}
		return nil
	}
	if r.store, err = r.links.Relay(ctx, "127.0.0.1:0", link.Upstream{Addr: store.Addr()}); err != nil {
		return fmt.Errorf("store link: %w", err)
	}
	r.stored = []string{r.store.Addr}
	return nil
}
