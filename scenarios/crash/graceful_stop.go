package crash

import (
	"context"
	"fmt"
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
	// abreast is how long a second operation may take to be held beside the first: a target may do one at a time.
	abreast = 500 * time.Millisecond
)

// holder holds one operation up. What lets it go may be called more than once.
type holder func(in *target.Intent) (arrived func(context.Context, *target.Flight) bool, letGo func())

// gracefulStop asks the target to end while it is at work, and lets that go on once the target shows that it was told. What it is
// at is held up by its downstream calls, one booked and one not, since a target may break off the one and not the other. Both
// meet one stop, or one each where the target does one operation at a time, or they cannot be told apart. Without a gate one is
// held up by the database; without that, too, the target is asked as soon as it has the request.
func gracefulStop(ctx context.Context, s *target.Stage) error {
	if !s.Has(catalogue.NeedGate) {
		_, err := stopAtWork(ctx, s, byStore(s))
		return err
	}
	moments := []provider.When{provider.AfterBooking, provider.BeforeBooking}
	done := 0
	if s.TellsApart() {
		held, err := stopAtWork(ctx, s, byCall(s, moments[0]), byCall(s, moments[1]))
		if err != nil || held == 0 {
			return err
		}
		done = held
	}
	for n, when := range moments[done:] {
		apart := s.Trial(fmt.Sprintf("held=%d", done+n+1))
		if _, err := stopAtWork(ctx, apart, byCall(apart, when)); err != nil {
			return err
		}
	}
	return nil
}

func byCall(s *target.Stage, when provider.When) holder {
	return func(in *target.Intent) (func(context.Context, *target.Flight) bool, func()) {
		hold := s.Hold(in, when)
		return hold.Arrived, hold.Release
	}
}

func byStore(s *target.Stage) holder {
	return func(in *target.Intent) (func(context.Context, *target.Flight) bool, func()) {
		if !s.Has(catalogue.NeedStoreLink) {
			return func(context.Context, *target.Flight) bool { return false }, func() {}
		}
		hold := s.HoldStore(in, link.Answers, 0)
		return func(ctx context.Context, f *target.Flight) bool { return hold.Arrived(ctx, f, 1) }, hold.Release
	}
}

// stopAtWork is one stop. It sends an operation for each holder, as long as they hold, and returns how many did.
func stopAtWork(ctx context.Context, s *target.Stage, by ...holder) (held int, err error) {
	var intents []*target.Intent
	var flights []*target.Flight
	letGo := func() {}
	defer func() { letGo() }()
	for _, hold := range by {
		in, err := s.Intent(ctx)
		if err != nil {
			return held, err
		}
		arrived, release := hold(in)
		before := letGo
		letGo = func() { before(); release() }
		f := s.Go(ctx, in, target.Send{Timeout: grace + s.Config().Timeouts.Request})
		intents, flights = append(intents, in), append(flights, f)
		within, cancel := context.WithCancel(ctx)
		if held > 0 {
			within, cancel = context.WithTimeout(ctx, abreast)
		}
		there := f.Sending(ctx) && arrived(within, f)
		cancel()
		if !there {
			s.Note("nothing held the operation up")
			break
		}
		held++
	}
	instance := s.Instance(0)
	ended := make(chan error, 1)
	go func() { ended <- instance.Stop(ctx, nil, grace, "", nil) }()
	told, cancel := context.WithTimeout(ctx, heeding)
	for instance.Ready(told) == nil && target.Pause(told, look) {
	}
	cancel()
	letGo()
	if err := <-ended; err != nil {
		return held, err
	}
	for _, f := range flights {
		f.Wait(ctx)
	}
	if err := s.Restart(ctx); err != nil {
		return held, err
	}
	for _, in := range intents {
		s.Resolve(ctx, in, target.Send{})
		s.Observe(ctx, in, "after")
		s.Status(ctx, in, "after")
	}
	return held, nil
}
