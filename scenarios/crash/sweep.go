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
	extraKills   = 4 // where none of the others has hit
	watches      = 2 // kills that wait for an effect to be seen, which the target may answer too soon for
	roundTrips   = 40
)

// Trials of a sweep that are not named after a number.
const (
	calibration = "calibration"
	roundTrip   = "round-trip"
)

// sweep kills the target at instants spread over the time in which it handles a request, as soon as its status or its effect
// shows where it stands, and at each round trip to its database.
func sweep(ctx context.Context, s *target.Stage) error {
	s.Note("each kill is a trial of its own")
	handling, err := calibrate(ctx, s.Trial(calibration))
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

// instants draws one instant from each slice of the handling time, and deals them out in random order to kills that hit several.
// Those of one kill come with the latest first.
func instants(s *target.Stage, handling time.Duration) (kills [][]time.Duration) {
	all := make([]time.Duration, s.Config().Limits.Kills)
	for i := range all {
		all[i] = time.Duration((float64(i) + s.Rand().Float64()) / float64(len(all)) * float64(handling))
	}
	s.Rand().Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	size := 1
	if s.Apart() {
		size = atOnce
	}
	for at := range slices.Chunk(all, size) {
		slices.Sort(at)
		slices.Reverse(at)
		kills = append(kills, at)
	}
	return kills
}

// killer is a sweep under way.
type killer struct {
	*target.Stage
	stuck bool // something was left open after all the time it may take: nobody waits as long for the next one
}

// spread kills at the instants that were drawn. A target that is too fast for all of them is killed as soon as it has some of a
// request, until it is hit.
func (k *killer) spread(ctx context.Context, handling time.Duration) error {
	kills, hit := instants(k.Stage, handling), false
	for n := 0; n < len(kills) || !hit && n < len(kills)+extraKills; n++ {
		at := make([]time.Duration, len(kills[0]))
		if n < len(kills) {
			at = kills[n]
		}
		flights, err := k.at(ctx, k.Trial(fmt.Sprintf("spread=%d", n+1)), at)
		if err != nil {
			return err
		}
		for _, f := range flights {
			hit = hit || unanswered(f.Wait(ctx))
		}
	}
	return nil
}

// unanswered tells whether the target had the whole request, and had not begun to answer it.
func unanswered(a *history.Attempt) bool { return a.Link.RequestWhole && a.Link.FirstByteAt == 0 }

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
	for n, in := range intents {
		f := s.Go(ctx, in, target.Send{})
		flights = append(flights, f)
		f.Sending(ctx)
		wait := instants[n]
		if n+1 < len(instants) {
			wait -= instants[n+1]
		}
		target.Pause(ctx, wait)
	}
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

// comeBack looks at what the dead target left, starts it again and retries.
func (k *killer) comeBack(ctx context.Context, s *target.Stage, intents []*target.Intent, flights []*target.Flight) error {
	for n, f := range flights {
		f.Wait(ctx)
		s.Autopsy(ctx, intents[n], "killed")
	}
	if err := s.Restart(ctx); err != nil {
		return err
	}
	for _, in := range intents {
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
