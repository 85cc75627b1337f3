package lost

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Labels of a storm's attempts.
const (
	labelCall    = "call"    // of a client, with the intent's own payload
	labelChanged = "changed" // with another payload under the intent's key
	labelCalm    = "calm"    // after the storm: everybody comes back once
)

const (
	// A client's pause before it sends again: short at first, doubled, and drawn between half of it and all of it.
	stormPause, longestStormPause = 4 * time.Millisecond, 200 * time.Millisecond
	// longestComeBack is how much of a Retry-After is honoured.
	longestComeBack = 100 * time.Millisecond
	// slowLimit is how long an operation that was never answered is given in the end.
	slowLimit = 30 * time.Second
	// glance is how often a kill looks whether it has caught all it can. freezeTime is how long a paused target stands still: by
	// then every client waits for it.
	glance, freezeTime = 2 * time.Millisecond, 30 * time.Millisecond
)

// player plays one schedule on one trial.
type player struct {
	stage    *target.Stage
	schedule *storm.Schedule
	patience time.Duration // with an operation, from its call or from the restart on
	intents  []*target.Intent
	turns    *turns
	at       []atomic.Int64  // by client: the intent that it asks for; 0: it waits for others, or is done
	done     []chan struct{} // by intent: closed when a call with its own payload has ended
	once     []sync.Once
	has      []bool        // by intent: it has a result; read after done
	slow     []atomic.Bool // by intent: an attempt met with silence until the time limit
	newest   atomic.Pointer[target.Flight]
	revived  time.Time // when the target was up again after the last kill; read when all blows are over
}

// play makes the intents, lets the clients loose on them, and counts when they are done. An operation that is open is asked for
// again until patience ends.
func play(ctx context.Context, s *target.Stage, p history.Storm, patience time.Duration) error {
	s.Plays(p)
	y := &player{stage: s, schedule: p.Schedule, patience: patience, turns: newTurns(p.Schedule.Clients())}
	n := p.Schedule.Intents()
	y.at = make([]atomic.Int64, p.Schedule.Clients())
	y.done, y.once, y.has, y.slow = make([]chan struct{}, n), make([]sync.Once, n), make([]bool, n), make([]atomic.Bool, n)
	for i := range n {
		in, err := s.Intent(ctx)
		if err != nil {
			return err
		}
		y.intents = append(y.intents, in)
		y.done[i] = make(chan struct{})
	}
	for _, call := range slices.Backward(p.Schedule.Calls) {
		y.at[call.Client-1].Store(int64(call.Intent)) // what each begins with
	}
	var clients, blows sync.WaitGroup
	var struck error
	over, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := make(chan struct{})
	blows.Go(func() { struck = y.strike(ctx, over, sync.OnceFunc(func() { close(ready) })) })
	<-ready
	for c := range p.Schedule.Clients() {
		clients.Go(func() { y.client(ctx, c+1) })
	}
	clients.Wait()
	cancel() // blows whose turn did not come will not come any more
	blows.Wait()
	if struck != nil {
		return struck
	}
	y.calm(ctx)
	count(ctx, s, "after")
	return ctx.Err()
}

// client makes its calls one after another.
func (y *player) client(ctx context.Context, number int) {
	defer y.turns.leave()
	defer y.at[number-1].Store(0)
	// Backoff is drawn from the schedule's seed, a stream for each client.
	jitter := rand.New(rand.NewPCG(y.schedule.Seed, uint64(number)))
	for i, call := range y.schedule.Calls {
		if call.Client == number && ctx.Err() == nil {
			y.call(ctx, i, call, jitter)
		}
	}
}

// call sends until the client has a result, as a good one does: the same key, longer and longer pauses, Retry-After honoured.
func (y *player) call(ctx context.Context, i int, call storm.Call, jitter *rand.Rand) {
	in, label := y.intents[call.Intent-1], labelCall
	if call.Changed {
		label = labelChanged
		y.at[call.Client-1].Store(0)
		y.turns.rest()
		select {
		case <-y.done[call.Intent-1]:
		case <-ctx.Done():
		}
		y.turns.wake()
		if ctx.Err() != nil || !y.has[call.Intent-1] {
			return // its own payload has no result, so nobody could say what the changed one should be answered
		}
	}
	y.at[call.Client-1].Store(int64(call.Intent))
	limited, cancel := context.WithTimeout(ctx, y.patience)
	defer cancel()
	var last *history.Attempt
	for n, pause := 0, stormPause; ; pause = min(2*pause, longestStormPause) {
		last = y.attempt(ctx, in, call.Client, target.Send{Label: label, Change: call.Changed, Call: i + 1}, faultOf(call, n))
		if spent(last) {
			n++ // else a blow took the attempt, and its fault is left for the next one
		}
		if last.TimedOut {
			y.slow[call.Intent-1].Store(true)
		}
		if !y.stage.Retryable(last) {
			break
		}
		wait := max(pause/2+time.Duration(jitter.Int64N(int64(pause/2))), min(y.stage.RetryAfter(last), longestComeBack))
		if !target.Pause(limited, wait) {
			break
		}
	}
	if !call.Changed {
		y.once[call.Intent-1].Do(func() {
			y.has[call.Intent-1] = y.stage.Class(last).Success()
			close(y.done[call.Intent-1])
		})
	}
}

// faultOf is what happens to an attempt of a call when n of its faults are spent.
func faultOf(call storm.Call, n int) storm.Fault {
	if n < len(call.Faults) {
		return call.Faults[n]
	}
	return storm.Fault{Kind: storm.None}
}

// attempt sends once, under its fault.
func (y *player) attempt(ctx context.Context, in *target.Intent, client int, send target.Send, fault storm.Fault) *history.Attempt {
	send.Fault = planOf(fault)
	f := y.stage.Go(ctx, in, send)
	y.newest.Store(f)
	y.turns.began()
	if fault.Kind == storm.Delay && f.Answering(ctx) {
		intent := y.at[client-1].Swap(0)
		select {
		case <-y.turns.after(fault.Attempts):
		case <-f.Done():
		case <-ctx.Done():
		}
		y.at[client-1].Store(intent)
		y.turns.wake()
		f.Wire().Release()
	}
	return f.Wait(ctx)
}

// planOf is a fault as the link does it.
func planOf(f storm.Fault) link.Plan {
	switch f.Kind {
	case storm.Drop:
		return link.Plan{DropResponse: true}
	case storm.Cut:
		return link.Plan{CutResponse: f.Bytes}
	case storm.Reset:
		return link.Plan{ResetResponse: true}
	case storm.Gateway:
		return link.Plan{ReplaceResponse: page(f.Status)}
	case storm.Delay:
		return link.Plan{HoldResponse: true}
	}
	return link.Plan{}
}

// strike deals the blows when their attempts have begun. A kill holds downstream calls from just before: ready says that it does,
// where it comes with the first attempt, or that nothing has to be held yet.
func (y *player) strike(ctx, over context.Context, ready func()) error {
	defer ready()
	for _, b := range y.schedule.Blows {
		var n net
		if b.Attempt > 1 {
			ready()
		}
		if b.Kind == storm.Kill && y.comes(over, b.Attempt-1) {
			n = y.spread(b)
		}
		ready()
		if !y.comes(over, b.Attempt) {
			n.drop()
			return nil
		}
		var err error
		if b.Kind == storm.Kill {
			err = y.kill(ctx, over, b, n)
		} else {
			err = y.pause(ctx, over)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// comes waits until so many attempts have begun; false: the clients are done.
func (y *player) comes(over context.Context, attempts int) bool {
	select {
	case <-y.turns.reached(attempts):
		return true
	case <-over.Done():
		return false
	}
}

// net is what catches downstream calls for a kill.
type net struct {
	before, after         *provider.Hold // nil: nothing is to be held there
	dropBefore, dropAfter func()
}

// spread has the gate hold the next calls.
func (y *player) spread(b storm.Blow) (n net) {
	n.before, n.dropBefore = y.stage.HoldAny(provider.BeforeBooking, b.Held-b.Booked)
	n.after, n.dropAfter = y.stage.HoldAny(provider.AfterBooking, b.Booked)
	return n
}

// drop lets the held calls end without an answer.
func (n net) drop() {
	if n.dropBefore != nil {
		n.dropBefore()
		n.dropAfter()
	}
}

// kill waits until the gate holds as many calls as it should catch, or as can come, kills, and starts the target again.
func (y *player) kill(ctx, over context.Context, b storm.Blow, n net) error {
	defer n.drop()
	if !y.stage.Can(life.CanKill | life.CanStart) {
		y.stage.Note("the schedule kills the target, and the configuration has no lifecycle that can")
		return nil
	}
	evidence := []string{"an attempt had just begun"}
	if n.before != nil || n.after != nil {
		limited, cancel := context.WithTimeout(over, y.stage.Config().Timeouts.Request/2) // none of the held attempts is given up by then
		for caught(n.before)+caught(n.after) < min(b.Held, y.asked()) && target.Pause(limited, glance) {
		}
		cancel()
		evidence = []string{
			numbered(caught(n.before), "downstream call") + " held before it was booked",
			numbered(caught(n.after), "downstream call") + " held when it was",
		}
	} else if f := y.newest.Load(); f != nil {
		f.Sending(over)
	}
	err := y.stage.Kill(ctx, nil, history.PhaseUnknown, evidence)
	n.drop()
	if err != nil {
		return err
	}
	defer func() { y.revived = time.Now() }()
	return y.stage.Restart(ctx)
}

// caught counts what a hold has held.
func caught(hold *provider.Hold) int {
	if hold == nil {
		return 0
	}
	return hold.Count()
}

// asked is how many intents the clients ask for at the moment. Where the gate holds the calls of all of these, no more can come.
func (y *player) asked() int {
	intents := map[int64]bool{}
	for i := range y.at {
		if intent := y.at[i].Load(); intent > 0 {
			intents[intent] = true
		}
	}
	return len(intents)
}

// pause freezes the target for a moment.
func (y *player) pause(ctx, over context.Context) error {
	if !y.stage.Can(life.CanPause | life.CanResume) {
		y.stage.Note("the schedule pauses the target, and the configuration has no lifecycle that can")
		return nil
	}
	instance := y.stage.Instance(0)
	err := instance.Pause(ctx, nil, history.PhaseUnknown, nil)
	if err == nil {
		target.Pause(over, freezeTime)
	}
	return errors.Join(err, instance.Resume(context.WithoutCancel(ctx)))
}

// calm lets every client come back once after the storm: an intent that has a result must give it again. A client that was
// told to wait for as long as a good client would asks once. Where an attempt was left without an answer for the whole time
// limit, though no fault was planned for it, the target may only be slow, and is waited for.
func (y *player) calm(ctx context.Context) {
	target.ForEach(stormClients, y.intents, func(in *target.Intent) {
		send, i := target.Send{Label: labelCalm}, slices.Index(y.intents, in)
		if y.has[i] {
			y.stage.Resolve(ctx, in, send)
			return
		}
		until := y.revived.Add(y.patience)
		if y.slow[i].Load() {
			until = time.Now().Add(slowLimit)
		}
		limited, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		for y.stage.Retryable(y.stage.Do(ctx, in, send)) && target.Pause(limited, longestStormPause) {
		}
	})
}

// count reads the effects of every intent of a trial.
func count(ctx context.Context, s *target.Stage, moment string) {
	target.ForEach(stormClients, s.Intents(), func(in *target.Intent) { s.Observe(ctx, in, moment) })
}

func numbered(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return fmt.Sprintf("%d %ss were", n, noun)
}
