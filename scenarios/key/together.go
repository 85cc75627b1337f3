package key

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	// waitsFor is how long the other principal's request gets to be answered while the first is held. One that waits for the
	// first is not answered before that is let go.
	waitsFor = 200 * time.Millisecond
	// meetings is how often the two are sent at once where nothing can be held.
	meetings = 3
)

// together uses one key as two principals at a time, with the same bytes or with writes of their own. What a target keeps of
// the requests that it is at work on may be told by less than what it keeps of those that are done. Where there is a gate, the
// first is held there while the other is sent; elsewhere, and where the first was answered before it was held, both are sent
// at once.
func together(ctx context.Context, s *target.Stage, same bool) error {
	if s.Has(catalogue.NeedGate) {
		met, err := whileHeld(ctx, s.Trial("principals-held"), same)
		if met || err != nil {
			return err
		}
	}
	for i := range meetings {
		if err := atOnce(ctx, s.Trial(fmt.Sprintf("principals-at-once-%d", i+1)), same); err != nil {
			return err
		}
	}
	return nil
}

// whileHeld sends the other principal's request while the first one's downstream call is held, and tells whether it was.
func whileHeld(ctx context.Context, s *target.Stage, same bool) (met bool, err error) {
	p, err := twoPrincipals(ctx, s, same)
	if p == nil || err != nil {
		return p == nil, err
	}
	hold := s.Hold(p.in, provider.BeforeBooking)
	defer hold.Close()
	first := s.Go(ctx, p.in, target.Send{Label: "first"})
	if !hold.Arrived(ctx, first) {
		hold.Release()
		first.Wait(ctx)
		return false, nil
	}
	other := s.Go(ctx, p.other, target.Send{Label: "other-principal"})
	other.Sending(ctx)
	other.Within(ctx, waitsFor)
	met = !first.Over()
	hold.Release()
	return met, p.settle(ctx, s, first.Wait(ctx), other.Wait(ctx))
}

// atOnce sends both requests in one burst.
func atOnce(ctx context.Context, s *target.Stage, same bool) error {
	p, err := twoPrincipals(ctx, s, same)
	if p == nil || err != nil {
		return err
	}
	attempts := s.Burst(ctx, "together", []target.Shot{
		{Intent: p.in, Send: target.Send{Label: "first"}},
		{Intent: p.other, Send: target.Send{Label: "other-principal"}},
	})
	return p.settle(ctx, s, attempts[0], attempts[1])
}

// principals are two with one key: the default one, and another.
type principals struct {
	in, other *target.Intent
	as        target.IntentOption
	same      bool // they send the same bytes
}

// twoPrincipals makes their intents; nil: the other one's setup was refused.
func twoPrincipals(ctx context.Context, s *target.Stage, same bool) (*principals, error) {
	in, err := s.Intent(ctx)
	if err != nil {
		return nil, err
	}
	p := &principals{in: in, as: target.As(s.Stranger()), same: same}
	options := []target.IntentOption{target.WithKey(in.Key), p.as}
	if same {
		options = append(options, target.TwinOf(in))
	}
	p.other, err = s.Intent(ctx, options...)
	if refused := (*target.EnvironmentError)(nil); errors.As(err, &refused) {
		s.Note("the other principal's setup was refused: %v", refused)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.Observe(ctx, p.in, "idle")
	s.Observe(ctx, p.other, "idle")
	return p, nil
}

// settle sends again what was told to come back, and what was lost. Then it sends the control, as the other principal: the same
// payload under a fresh key, or one more write of its own. The first one's effects are read last, so that a list which shows
// everybody's shows the control's too.
func (p *principals) settle(ctx context.Context, s *target.Stage, first, other *history.Attempt) error {
	if s.Retryable(first) {
		s.Resolve(ctx, p.in, target.Send{})
	}
	if s.Retryable(other) {
		s.Resolve(ctx, p.other, target.Send{})
	}
	s.Observe(ctx, p.other, "after")
	if !p.same {
		if err := write(ctx, s, "control", p.as); err != nil {
			return err
		}
		s.Observe(ctx, p.in, "after")
		return nil
	}
	fresh, err := s.Intent(ctx, target.TwinOf(p.in), p.as)
	if err != nil {
		return err
	}
	s.Do(ctx, fresh, target.Send{Label: "fresh"})
	s.Observe(ctx, p.other, "later")
	s.Observe(ctx, p.in, "after")
	return nil
}
