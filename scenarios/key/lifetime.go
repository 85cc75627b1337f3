package key

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// sendingTime is left for a request on its way: a retry that should come before the end of a lifetime must not come after it.
const sendingTime = time.Second

// oneStep is how far from its end the last step towards it begins. A target whose clock is moved removes what is old, which may
// take long where there is much of it: that is done in the step before.
const oneStep = time.Minute

// retained sends a write, lets its key grow old until just before its lifetime ends, and sends it again. Where that took so
// long that the lifetime may be over it is not sent: then it may rightly be executed.
func retained(ctx context.Context, s *target.Stage) error {
	in, again, err := written(ctx, s)
	if err != nil {
		return err
	}
	left := s.Contract().Lifetime - tolerance(s.Contract())
	sending := min(sendingTime, left/4) // of a short lifetime little is left
	far, passed := s.Elapse(ctx, left-oneStep-in.Age())
	if !passed {
		return nil
	}
	near, passed := s.Elapse(ctx, left-sending-far-in.Age())
	if !passed || far+near+in.Age() > left {
		s.Note("not sent again: the lifetime may be over")
		return nil
	}
	s.Do(ctx, again, target.Send{Label: "before-end"})
	s.Observe(ctx, again, "after")
	return nil
}

// expired sends a write, lets the lifetime of its key end, and uses the key again for the same payload: an operation of its
// own, or refused.
func expired(ctx context.Context, s *target.Stage) error {
	_, again, err := written(ctx, s)
	if err != nil {
		return err
	}
	if _, passed := s.Elapse(ctx, beyond(s.Contract())); !passed {
		return nil
	}
	s.Do(ctx, again, target.Send{Label: "after-end"})
	s.Observe(ctx, again, "after")
	return nil
}

// written sends a write, and prepares the same again under its key.
func written(ctx context.Context, s *target.Stage) (in, again *target.Intent, err error) {
	if in, err = s.Intent(ctx); err != nil {
		return nil, nil, err
	}
	s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, in, "first")
	again, err = s.Intent(ctx, target.TwinOf(in), target.WithKey(in.Key))
	return in, again, err
}

// unresolvedKept leaves the outcome of a write in doubt for longer than a lifetime, and sends it again: while it is in doubt,
// and until downstream can be asked again and it resolves. Where the target found its outcome out all the same it stays as it is.
func unresolvedKept(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	heal := s.LoseDownstream(in, target.UntilHealed, true)
	defer heal()
	first := s.Do(ctx, in, target.Send{Label: "first"})
	again := s.Do(ctx, in, target.Send{Label: "in-doubt"})
	if resolved(s.Status(ctx, in, "in-doubt")) || s.Class(first).Success() || s.Class(again).Success() {
		s.Note("nothing is in doubt: after its lifetime the key may rightly be executed anew")
		return nil
	}
	if _, passed := s.Elapse(ctx, beyond(s.Contract())); !passed {
		return nil
	}
	s.Status(ctx, in, "after-end")
	s.Do(ctx, in, target.Send{Label: "after-end"})
	s.Observe(ctx, in, "silent")
	heal()
	s.Resolve(ctx, in, target.Send{Label: "retry"})
	s.Observe(ctx, in, "after")
	return nil
}

// resolved tells whether a status says how the operation ended.
func resolved(s *history.Status) bool {
	return s != nil && (s.State == history.Succeeded || s.State == history.Failed)
}

// beyond is a time after which a lifetime is over for certain.
func beyond(c contract.Contract) time.Duration { return c.Lifetime + tolerance(c) + sendingTime }

// tolerance is how far from its end a lifetime may be off. Of a very short one half is left to look at.
func tolerance(c contract.Contract) time.Duration { return min(time.Second, c.Lifetime/2) }

// aged is how much time passed at the target between two moments of a history: as much as everywhere, and what its clock was
// moved by.
func aged(h *history.History, from, to int64) time.Duration {
	passed := to - from
	for _, e := range h.Events {
		if f := e.Fault; f != nil && f.Kind == history.FaultClock && f.Landed && from <= e.At && e.At <= to {
			passed += f.Moved
		}
	}
	return (time.Duration(passed) * time.Microsecond).Round(time.Millisecond)
}
