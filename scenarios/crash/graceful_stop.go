package crash

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	// grace is what a target that is asked to end may take for what it is at work on.
	grace = 5 * time.Second
	// heeding is how long it may take to show that it was told: until then its work is held up.
	heeding = 250 * time.Millisecond
	look    = 2 * time.Millisecond
)

// gracefulStop asks the target to end while an operation is held up, by its downstream call or by its database, and lets the
// operation go on once the target shows that it was told. Without either, it is asked as soon as it has the request.
func gracefulStop(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	letGo, held := func() {}, func(*target.Flight) bool { return false }
	switch {
	case s.Has(catalogue.NeedGate):
		hold := s.Hold(in, provider.AfterBooking)
		letGo, held = hold.Release, func(f *target.Flight) bool { return hold.Arrived(ctx, f) }
	case s.Has(catalogue.NeedStoreLink):
		hold := s.HoldStore(in, link.Answers, 0)
		letGo, held = hold.Release, func(f *target.Flight) bool { return hold.Arrived(ctx, f, 1) }
	}
	first := s.Go(ctx, in, target.Send{Timeout: grace + s.Config().Timeouts.Request})
	if first.Sending(ctx) && !held(first) {
		s.Note("nothing held the operation up")
	}
	instance := s.Instance(0)
	ended := make(chan error, 1)
	go func() { ended <- instance.Stop(ctx, in, grace, "", nil) }()
	told, cancel := context.WithTimeout(ctx, heeding)
	for instance.Ready(told) == nil && target.Pause(told, look) {
	}
	cancel()
	letGo()
	if err := <-ended; err != nil {
		return err
	}
	first.Wait(ctx)
	if err := s.Restart(ctx); err != nil {
		return err
	}
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	s.Status(ctx, in, "after")
	return nil
}
