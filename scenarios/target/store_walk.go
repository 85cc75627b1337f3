package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
)

// regather is how long to wait for connections that were let go, before others are spared.
const regather = 30 * time.Millisecond

var errUnseen = errors.New("no probe of the target's own state could be read")

// Step lets go what is held, and holds what comes next.
func (h *StoreHold) Step() {
	if h.halt != nil {
		h.halt.Step()
	}
}

// Shows tells whether the intent's effect is in the target's own state while something is held. The target can use connections
// that wait for nothing meanwhile, so that it can be asked. Where an effect takes its time to show, that is waited for. What shows it is recorded, and so is what cannot be read in time, which is an error.
func (h *StoreHold) Shows(ctx context.Context) (bool, error) {
	if h.halt == nil {
		return false, nil
	}
	s, g := h.stage, h.stage.target.steadyOf(h.in.Operation)
	h.halt.Rejoined(ctx, regather)
	defer h.halt.Spare()()
	limited, cancel := context.WithTimeout(ctx, s.grace(g))
	defer cancel()
	for began := time.Now(); ; {
		seen, err := s.shownNow(limited, h.in, g)
		switch {
		case seen:
			s.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultStoreHold, Intent: h.in.ID, Landed: h.halt.Holding() > 0,
				Detail: fmt.Sprintf("an effect shows while the database's %s are held on %d connections; %d were held before", h.dir, h.halt.Holding(), h.halt.Held()-1)}})
			return true, nil
		case err != nil || g.prompt || time.Since(began) >= g.lag || !Pause(limited, firstLook):
			return false, err
		}
	}
}

// shownNow reads the probes of the target's own state once.
func (s *Stage) shownNow(ctx context.Context, in *Intent, g *steadyFacts) (bool, error) {
	read := 0
	for _, e := range in.state.operation.probes {
		if e.kind == history.Ledger || e.quiet {
			continue
		}
		o, ok := s.look(ctx, in, e, history.WhileHeld, g)
		if !ok {
			continue
		}
		if o.Error != "" || o.Count > 0 {
			s.record([]history.Observation{o})
		}
		if o.Count > 0 && o.Error == "" {
			return true, nil
		}
		if o.Error == "" {
			read++
		}
	}
	if read == 0 {
		return false, errUnseen
	}
	return false, nil
}
