package target

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/history"
)

// Hold is the gate armed to hold one call.
type Hold struct {
	stage *Stage
	in    *Intent
	hold  *provider.Hold
	when  provider.When

	mu    sync.Mutex
	noted bool // recorded already
	over  bool // decided
}

var errNoCall = errors.New("the attempt ended without a downstream call")

// Hold arms the gate to hold the intent's next downstream call before or after it is booked.
func (s *Stage) Hold(in *Intent, when provider.When) *Hold {
	h := &Hold{stage: s, in: in, when: when}
	if s.target.gate != nil {
		h.hold = s.target.gate.Hold(when, in.state.trace.match(), 1)
	}
	s.mu.Lock()
	s.holds = append(s.holds, h)
	s.mu.Unlock()
	return h
}

func (h *Hold) side() string {
	if h.when == provider.AfterBooking {
		return "after it was booked"
	}
	return "before it was booked"
}

// Arrived waits until the held call is there, or until the flight ended without one (false). That it is there is recorded
// once, as a history.Fault; that none came, when the hold is decided.
func (h *Hold) Arrived(ctx context.Context, f *Flight) bool {
	there := h.await(ctx, f)
	h.mu.Lock()
	defer h.mu.Unlock()
	if there {
		h.note()
	}
	return there
}

// note records, once, that a call is held. The caller holds the lock.
func (h *Hold) note() {
	if !h.noted {
		h.noted = true
		h.stage.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultHold, Intent: h.in.ID, Landed: true, Detail: "downstream call held " + h.side()}})
	}
}

func (h *Hold) await(ctx context.Context, f *Flight) bool {
	if h.hold == nil {
		return false
	}
	ctx, cancel := whileUnderWay(ctx, f, errNoCall)
	defer cancel()
	_, err := h.hold.Arrived(ctx)
	return err == nil || h.hold.Count() > 0
}

// whileUnderWay returns a context that ends, for the given reason, when the flight does. The flight may be nil.
func whileUnderWay(ctx context.Context, f *Flight, reason error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if f != nil {
		go func() {
			select {
			case <-f.Done():
				cancel(reason)
			case <-ctx.Done():
			}
		}()
	}
	return ctx, func() { cancel(nil) }
}

// Release lets the call go on.
func (h *Hold) Release() { h.decide("released", func() { h.hold.Release() }) }

// Drop closes its connection without an answer.
func (h *Hold) Drop() { h.decide("dropped without an answer", func() { h.hold.Drop() }) }

// Close disarms; it releases what it holds.
func (h *Hold) Close() { h.settle() }

// settle decides a hold that is still open, and tells whether it held something.
func (h *Hold) settle() bool {
	held := h.hold != nil && h.hold.Count() > 0
	return h.decide("released", func() { h.hold.Release() }) && held
}

// decide ends the hold once, and records it. What is recorded comes first, so that nothing which follows from it seems older.
func (h *Hold) decide(what string, do func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over || h.hold == nil {
		return false
	}
	h.over = true
	fault := &history.Fault{Kind: history.FaultHold, Intent: h.in.ID, Detail: "no downstream call came to be held"}
	if h.hold.Count() > 0 {
		h.note()
		fault = &history.Fault{Kind: history.FaultRelease, Intent: h.in.ID, Landed: true, Detail: "held downstream call " + what}
	}
	h.stage.rec.add(history.Event{Fault: fault})
	do()
	return true
}

// UntilHealed is the number of bookings that stands for all of them.
const UntilHealed = 0

// FailDownstream lets the intent's next n bookings fail with the status, nothing booked, until healed. What it did is
// recorded when it is healed, at the latest when the procedure ends.
func (s *Stage) FailDownstream(in *Intent, status, n int) (heal func()) {
	if s.target.gate == nil {
		return func() {}
	}
	i := s.target.gate.Fail(in.state.trace.match(), n, status)
	return s.heal(func() {
		i.End()
		s.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultFailDownstream, Intent: in.ID, Landed: i.Hits() > 0,
			Detail: fmt.Sprintf("%d downstream calls were answered with %d and not booked", i.Hits(), status)}})
	})
}

// LoseDownstream books the intent's next n bookings and closes without an answer; with lookups the gate does not answer
// questions either until healed. What it did is recorded when it is healed, at the latest when the procedure ends.
func (s *Stage) LoseDownstream(in *Intent, n int, lookups bool) (heal func()) {
	if s.target.gate == nil {
		return func() {}
	}
	lost := s.target.gate.Lose(in.state.trace.match(), n)
	var silent *provider.Intervention
	if lookups {
		silent = s.target.gate.LoseLookups(in.state.trace.match(), 0)
	}
	return s.heal(func() {
		lost.End()
		detail := fmt.Sprintf("%d downstream calls were booked and not answered", lost.Hits())
		if silent != nil {
			silent.End()
			detail += fmt.Sprintf(", %d questions about them were not answered", silent.Hits())
		}
		s.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultLoseDownstream, Intent: in.ID, Landed: lost.Hits() > 0, Detail: detail}})
	})
}

// heal makes an end that happens once, at the latest when the procedure is over.
func (s *Stage) heal(end func()) func() {
	once := sync.OnceFunc(end)
	s.mu.Lock()
	s.heals = append(s.heals, once)
	s.mu.Unlock()
	return once
}
