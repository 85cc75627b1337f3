package crash

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	calibrations = 3 // unfaulted attempts that the handling time is taken from
	atOnce       = 4 // attempts that one kill hits, each at an instant of its own, where probes tell them apart
	triesPerKill = 2 // attempts for each kill that is to land in flight, at most
	extraKills   = 4 // where none of the others has hit
	// enoughTime is how long a request has to be at work for several to be sent apart: requests that crowd in on a faster target wait
	// for each other, and are killed waiting.
	enoughTime = 4 * time.Millisecond
	watches    = 2 // kills that wait for an effect to be seen, which the target may answer too soon for
	roundTrips = 40
)

// Trials of a sweep. The calibration is numbered with how many kills should land in flight.
const (
	calibration = "calibration"
	spreading   = "spread"
	roundTrip   = "round-trip"
)

// Moments at which an intent is looked at around a kill.
const (
	whenDead  = "killed"
	restarted = "restarted" // and nothing was retried
)

// sweep kills the target at instants spread over the time in which it handles a request, as soon as its status or its effect
// shows where it stands, and at each round trip to its database.
func sweep(ctx context.Context, s *target.Stage) error {
	s.Note("each kill is a trial of its own")
	handling, err := calibrate(ctx, s.Trial(fmt.Sprintf("%s=%d", calibration, s.Config().Limits.Kills)))
	if err != nil || handling == 0 {
		return err
	}
	k := &killer{Stage: s}
	if err := k.spread(ctx, handling); err != nil {
		return err
	}
	if s.Has(catalogue.NeedStatus) {
		if err := k.onSight(ctx, history.AfterClaim, 1); err != nil {
			return err
		}
	}
	if err := k.onSight(ctx, history.AfterEffect, watches); err != nil {
		return err
	}
	if !s.Has(catalogue.NeedStoreLink) {
		return nil
	}
	for n := range roundTrips {
		before, err := k.between(ctx, s.Trial(fmt.Sprintf("%s=%d", roundTrip, n+1)), n)
		if err != nil || !before {
			return err
		}
	}
	return nil
}

// calibrate finds how long an unfaulted attempt is worked on, from the last byte of its request to the first of its answer. 0: it
// was not answered.
func calibrate(ctx context.Context, s *target.Stage) (handling time.Duration, err error) {
	var times []time.Duration
	for range calibrations {
		in, err := s.Intent(ctx)
		if err != nil {
			return 0, err
		}
		a := s.Do(ctx, in, target.Send{Label: calibration})
		if !s.Class(a).Success() || a.Link.FirstByteAt == 0 {
			s.Note("an unfaulted attempt was not answered with a result: nothing is killed")
			return 0, nil
		}
		times = append(times, time.Duration(a.Link.FirstByteAt-a.Link.LastRequestAt)*time.Microsecond)
	}
	slices.Sort(times)
	return max(times[len(times)/2], time.Microsecond), nil
}

// killer is a sweep under way.
type killer struct {
	*target.Stage
	stuck bool // something was left open after all the time it may take: nobody waits as long for the next one
}

// spread kills at instants all over the handling time until as many kills as wanted landed in flight, and learns from each that
// did not. A target that is too fast for all of them is killed as soon as it has some of a request, until it is hit.
func (k *killer) spread(ctx context.Context, handling time.Duration) error {
	wanted, size := k.Config().Limits.Kills, 1
	if k.Apart() && handling >= enoughTime {
		size = atOnce
	}
	a := newAim(k.Rand(), handling, wanted)
	for n := 1; a.landed < wanted && a.tried < triesPerKill*wanted || a.landed == 0 && a.tried < triesPerKill*wanted+extraKills*size; n++ {
		trial, shots := k.Trial(fmt.Sprintf("%s=%d", spreading, n)), a.next(size)
		flights, err := k.at(ctx, trial, instantsOf(shots))
		if err != nil {
			return err
		}
		hs := trial.Histories()
		if len(hs) == 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		kill, missing := killOf(hs[0])
		if missing != "" {
			a.tried += len(shots)
			continue
		}
		var first []fate
		for _, f := range flights {
			attempt := f.Wait(ctx)
			part, _ := struck(hs[0], kill, attempt.Intent)
			first = append(first, fate{attempt.Link, part == inFlight || part == history.AfterEffect})
		}
		a.learn(shots, first, kill.Given)
	}
	return nil
}

// at starts an attempt for each instant, the latest first, so that all have come to theirs when the target is killed.
func (k *killer) at(ctx context.Context, s *target.Stage, instants []time.Duration) (flights []*target.Flight, err error) {
	var intents []*target.Intent
	for range instants {
		in, err := s.Intent(ctx)
		if err != nil {
			return nil, err
		}
		intents = append(intents, in)
	}
	began := time.Now()
	for n, in := range intents {
		until(ctx, began.Add(instants[0]-instants[n]))
		flights = append(flights, s.Go(ctx, in, target.Send{}))
	}
	for _, f := range flights {
		f.Sending(ctx)
	}
	until(ctx, time.Now().Add(instants[len(instants)-1]))
	if err := s.Kill(ctx, nil, history.PhaseUnknown, nil); err != nil {
		return nil, err
	}
	return flights, k.comeBack(ctx, s, intents, flights)
}

// onSight kills the target when it is seen in the phase, which it may be too fast for: it is tried several times.
func (k *killer) onSight(ctx context.Context, phase string, tries int) error {
	for n := range tries {
		seen, err := k.seen(ctx, k.Trial(fmt.Sprintf("%s=%d", phase, n+1)), phase)
		if seen || err != nil {
			return err
		}
	}
	return nil
}

// seen kills the target as soon as the intent is seen in the phase, or has begun to be answered.
func (k *killer) seen(ctx context.Context, s *target.Stage, phase string) (seen bool, err error) {
	in, err := s.Intent(ctx)
	if err != nil {
		return false, err
	}
	f := s.Go(ctx, in, target.Send{})
	seen, evidence := s.Watch(ctx, in, f, phase)
	if !seen {
		phase = history.PhaseUnknown
	}
	if err := s.Kill(ctx, in, phase, evidence); err != nil {
		return false, err
	}
	return seen, k.comeBack(ctx, s, []*target.Intent{in}, []*target.Flight{f})
}

// between kills the target while an answer of its database is held, after it had so many of them; false: it was done before that.
func (k *killer) between(ctx context.Context, s *target.Stage, answers int) (before bool, err error) {
	in, err := s.Intent(ctx)
	if err != nil {
		return false, err
	}
	hold := s.HoldStore(in, link.Answers, answers)
	defer hold.Release()
	f := s.Go(ctx, in, target.Send{})
	evidence := []string{fmt.Sprintf("answer %d of its database was held", answers+1)}
	if before = hold.Arrived(ctx, f, 1); !before {
		evidence = []string{fmt.Sprintf("it had finished before answer %d of its database", answers+1)}
	}
	if err := s.Kill(ctx, in, history.PhaseUnknown, evidence); err != nil {
		return false, err
	}
	hold.Release()
	return before, k.comeBack(ctx, s, []*target.Intent{in}, []*target.Flight{f})
}

// comeBack looks at what the dead target left, starts it again and retries. What it is seen to have kept of a request before
// that shows that it had the request, where the link does not.
func (k *killer) comeBack(ctx context.Context, s *target.Stage, intents []*target.Intent, flights []*target.Flight) error {
	for n, f := range flights {
		f.Wait(ctx)
		s.Autopsy(ctx, intents[n], whenDead)
	}
	if err := s.Restart(ctx); err != nil {
		return err
	}
	for n, in := range intents {
		if flights[n].Wait(ctx).Link.Through != "" {
			s.Observe(ctx, in, restarted)
			s.Status(ctx, in, restarted)
		}
		if k.stuck {
			s.Do(ctx, in, target.Send{})
		} else {
			class := s.Class(s.Resolve(ctx, in, target.Send{}))
			k.stuck = class == contract.InFlightAnswer || class == contract.Unknown || class == contract.Failed
		}
		s.Observe(ctx, in, "after")
		s.Status(ctx, in, "after")
	}
	return nil
}
