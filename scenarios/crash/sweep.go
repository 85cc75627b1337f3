package crash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	calibrations = 3  // unfaulted attempts that the handling time is taken from
	crowd        = 12 // requests that one kill hits, where probes tell them apart
	// crowdLimit bounds the time to prepare, retry and count the requests of one kill.
	crowdLimit = 500 * time.Millisecond
	extraKills = 4 // where none of the others has hit
	mostSteps  = 1000
	// drained is how long this program waits to receive what the target had written when it was stopped.
	drained    = 500 * time.Microsecond
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
	stuck bool          // an operation stayed open for as long as it may: nobody waits that long for the next one
	cost  time.Duration // of one request of the latest kill: all but the restart
}

// spread kills at instants all over the handling time, and at the moment of the effect, until as many kills as wanted landed in
// flight, and learns from each where the next has to be aimed.
func (k *killer) spread(ctx context.Context, handling time.Duration) error {
	wanted := k.Config().Limits.Kills
	a := newAim(k.Rand(), handling, wanted)
	if k.size(wanted) > 1 {
		wanted = (5*wanted + 7) / 8
	}
	enough := 2 * wanted
	for n := 1; a.landed < wanted && a.tried < enough || a.landed == 0 && a.tried < enough+extraKills; n++ {
		a.hurried = a.tried >= enough
		trial, size := k.Trial(fmt.Sprintf("%s=%d", spreading, n)), k.size(wanted)
		shot := a.next(size, k.Can(life.CanPause|life.CanResume))
		if err := k.at(ctx, trial, shot, size); err != nil {
			return err
		}
		hs := trial.Histories()
		if len(hs) == 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		kill, missing := killOf(hs[0])
		if missing != "" {
			kill = &history.Fault{}
		}
		var fates []fate
		for _, first := range hs[0].Attempts("first") {
			fates = append(fates, fateOf(hs[0], kill, first))
		}
		a.learn(shot, fates, kill.Given)
	}
	return nil
}

// size is how many requests the next kill is to hit: several where they can be told apart, as far as they may be made, and take no
// longer than the kill itself.
func (k *killer) size(kills int) int {
	if !k.Apart() {
		return 1
	}
	n := min(crowd, k.ObjectsLeft()/(4*max(1, kills)))
	if k.cost > 0 {
		n = min(n, int(crowdLimit/k.cost))
	}
	return max(1, n)
}

// at lets the target receive some requests at once, and kills it at the moment that the shot names. Where it has answered all
// of them by then it is spared: an unfaulted attempt shows as much.
func (k *killer) at(ctx context.Context, s *target.Stage, aimed shot, size int) error {
	began := time.Now()
	var shots []target.Shot
	var intents []*target.Intent
	for range size {
		in, err := s.Intent(ctx)
		if err != nil {
			return err
		}
		intents = append(intents, in)
		shots = append(shots, target.Shot{Intent: in})
	}
	prepared := time.Since(began)
	var flights []*target.Flight
	var killing error
	err := s.Pile(ctx, "first", shots, func(p *target.Pile) {
		if !k.await(ctx, p, aimed) {
			killing = p.Go()
			return
		}
		var hit []*target.Intent
		for n, f := range p.Flights {
			if !f.Over() { // what was acknowledged before is counted in the end
				flights, hit = append(flights, f), append(hit, intents[n])
			}
		}
		intents = hit
		killing = p.Kill(ctx)
	})
	if err := errors.Join(err, killing); err != nil || flights == nil {
		return err
	}
	return k.comeBack(ctx, s, intents, flights, aimed.sides, prepared)
}

// await waits for the moment of the kill; false: the target has answered too many by then. Where the target can be run in
// steps, answers are awaited step by step, so that whatever delays this program does not delay the kill.
func (k *killer) await(ctx context.Context, p *target.Pile, aimed shot) bool {
	answered, had := answering(p.Flights), 0
	if aimed.answers == 0 || !p.Steps() {
		for ; had < aimed.answers; had++ {
			<-answered
		}
		until(ctx, time.Now().Add(aimed.at))
		return had+len(answered) <= aimed.most
	}
	until(ctx, time.Now().Add(aimed.at))
	for range mostSteps {
		if p.Stop() != nil || !target.Pause(ctx, drained) {
			break
		}
		if len(answered) >= aimed.answers {
			break
		}
		if p.Go() != nil {
			break
		}
		until(ctx, time.Now().Add(aimed.step))
	}
	return len(answered) <= aimed.most
}

// answering yields each flight when its answer has begun, or when it ended without one.
func answering(flights []*target.Flight) <-chan struct{} {
	each := make(chan struct{}, len(flights))
	for _, f := range flights {
		go func() {
			select {
			case <-f.Wire().FirstResponse():
			case <-f.Done():
			}
			each <- struct{}{}
		}()
	}
	return each
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
	return seen, k.comeBack(ctx, s, []*target.Intent{in}, []*target.Flight{f}, false, 0)
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
	return before, k.comeBack(ctx, s, []*target.Intent{in}, []*target.Flight{f}, false, 0)
}

// comeBack looks at what the dead target left, starts it again and retries. Look also reads what is there before the retry. That
// shows as well that the target had a request, where the link does not.
func (k *killer) comeBack(ctx context.Context, s *target.Stage, intents []*target.Intent, flights []*target.Flight, look bool, prepared time.Duration) error {
	through := false
	for n, f := range flights {
		through = f.Wait(ctx).Link.Through != "" || through
		s.Autopsy(ctx, intents[n], whenDead)
	}
	if err := s.Restart(ctx); err != nil {
		return err
	}
	began := time.Now()
	for _, in := range intents {
		if look || through {
			s.Observe(ctx, in, restarted)
		}
		if through {
			s.Status(ctx, in, restarted)
		}
	}
	for _, in := range intents {
		var last *history.Attempt
		if k.stuck {
			last = s.Do(ctx, in, target.Send{})
		} else {
			last = s.Resolve(ctx, in, target.Send{})
			class := s.Class(last)
			k.stuck = class == contract.InFlightAnswer || class == contract.Unknown || class == contract.Failed
		}
		s.Observe(ctx, in, "after")
		if class := s.Class(last); !class.Success() {
			s.Status(ctx, in, "after")
		}
	}
	k.cost = (prepared + time.Since(began)) / time.Duration(len(intents))
	return nil
}
