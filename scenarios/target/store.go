package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
)

// openStore starts the link to the target's database, where one is configured.
func (t *Target) openStore(ctx context.Context, allowRemote bool) error {
	c := t.cfg.Target.Store
	if c == nil {
		return nil
	}
	if t.remote != nil {
		return t.openRemoteStore(ctx, c)
	}
	name, port, err := net.SplitHostPort(c.Upstream)
	if err != nil {
		return &ConfigurationError{What: "target.store.upstream " + c.Upstream, Err: err}
	}
	upstream, _, err := addressOf(ctx, t.cfg, "target.store.upstream "+c.Upstream, name, port, allowRemote)
	if err != nil {
		return err
	}
	if err := accepts(ctx, upstream); err != nil {
		return &EnvironmentError{What: "target.store.upstream " + c.Upstream, Err: fmt.Errorf("nobody takes connections there (%w); is the database running?", err)}
	}
	listen, err := t.gateAddress(ctx, c.Listen)
	if err != nil {
		return &EnvironmentError{What: "target.store", Err: err}
	}
	if t.store, err = t.links.Relay(ctx, listen, link.Upstream{Addr: upstream}); err != nil {
		return &EnvironmentError{What: "target.store.listen " + c.Listen, Err: err}
	}
	return nil
}

// storeSeenFrom is the link's address as a container calls this machine.
func (t *Target) storeSeenFrom(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && t.gateHost != "" && (t.remoteStore == nil || ip != nil && ip.IsLoopback()) {
		return net.JoinHostPort(t.gateHost, port)
	}
	return addr
}

// learnStore sees whether the operation reaches its database by the link.
func (s *Stage) learnStore(used bool, o *offers) {
	switch {
	case s.target.store == nil, used:
	case s.target.store.Proof().Connections == 0:
		lacksStore(o, s.target.cfg.Setting("/target/store")+catalogue.Unused+"nobody called it; let the target call {store} instead of its database")
	default:
		lacksStore(o, s.target.cfg.Setting("/target/store")+catalogue.Unused+"the target calls it, and the operation sends nothing over it")
	}
}

func lacksStore(o *offers, why string) {
	o.lacks(catalogue.NeedStoreLink, why)
	o.lacks(catalogue.NeedStoreCut, why)
}

// StoreSeen is what passed the link to the target's database so far; nothing where none is configured.
func (s *Stage) StoreSeen() link.RelayProof {
	if s.target.store == nil {
		return link.RelayProof{}
	}
	return s.target.store.Proof()
}

// StoreHold is the link to the target's database, holding what goes one way.
type StoreHold struct {
	stage *Stage
	in    *Intent
	dir   link.Direction
	halt  *link.Halt // nil: there is no link
	end   func()

	mu    sync.Mutex
	noted int // on how many connections it was recorded that something is held
}

var errNothingHeld = errors.New("the attempt ended without anything being held")

// HoldStore holds what goes one way between the target and its database, on all connections, from the piece after the first skip
// ones on. A piece is what was read at once: usually a whole request or a whole answer. The intent may be nil. What procedures
// leave held is released when they are over. While it holds, probes that read by way of the target are not answered either.
func (s *Stage) HoldStore(in *Intent, dir link.Direction, skip int) *StoreHold {
	h := &StoreHold{stage: s, in: in, dir: dir, end: func() {}}
	if s.target.store == nil {
		return h
	}
	h.halt = s.target.store.Hold(dir, skip)
	h.end = s.heal(func() {
		fault := &history.Fault{Kind: history.FaultStoreRelease, Intent: intentID(in), Landed: h.halt.Held() > 0}
		fault.Detail = fmt.Sprintf("%d pieces of the database's %s were held, the last released", h.halt.Held(), dir)
		s.rec.add(history.Event{Fault: fault})
		h.halt.Release()
	})
	return h
}

// Arrived waits until something is held on n connections at once, or until the flight ended before (false). The flight may be nil.
func (h *StoreHold) Arrived(ctx context.Context, f *Flight, n int) bool {
	if h.halt == nil {
		return false
	}
	ctx, cancel := whileUnderWay(ctx, f, errNothingHeld)
	defer cancel()
	err := h.halt.Arrived(ctx, n)
	holding := h.halt.Holding()
	h.mu.Lock()
	defer h.mu.Unlock()
	if holding > h.noted {
		h.noted = holding
		h.stage.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultStoreHold, Intent: intentID(h.in), Landed: true,
			Detail: fmt.Sprintf("the database's %s are held on %d connections", h.dir, holding)}})
	}
	return err == nil
}

// Release lets everything go and ends the hold. It may be called more than once.
func (h *StoreHold) Release() { h.end() }

// CutStore takes the target's connections to its database away, with all that is held in them, and turns new ones away until
// mended, at the latest when the procedure ends. It returns how many it took. The intent may be nil.
func (s *Stage) CutStore(in *Intent) (taken int, mend func()) {
	if s.target.remoteStore != nil {
		return 0, s.cutRemoteStore(in)
	}
	if s.target.store == nil {
		return 0, func() {}
	}
	taken = s.target.store.Cut()
	before := s.target.store.Proof().TurnedAway
	s.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultStoreCut, Intent: intentID(in), Landed: taken > 0,
		Detail: fmt.Sprintf("%d connections to the database were cut", taken)}})
	return taken, s.heal(func() {
		s.target.store.Mend()
		away := s.target.store.Proof().TurnedAway - before
		s.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultStoreMend, Intent: intentID(in), Landed: taken+away > 0,
			Detail: fmt.Sprintf("connections to the database may be made again, %d were turned away", away)}})
	})
}

// DelayStore lets everything between the target and its database arrive that much later, both ways, until ended, at the latest
// when the procedure ends. What it did is recorded then. The intent may be nil.
func (s *Stage) DelayStore(in *Intent, by time.Duration) (end func()) {
	if s.target.remoteStore != nil {
		return s.delayRemoteStore(in, by)
	}
	if s.target.store == nil {
		return func() {}
	}
	before := s.target.store.Proof()
	s.target.store.Delay(by)
	return s.heal(func() {
		s.target.store.Delay(0)
		now := s.target.store.Proof()
		requests, answers := now.Requests.Delayed-before.Requests.Delayed, now.Answers.Delayed-before.Answers.Delayed
		s.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultStoreDelay, Intent: intentID(in), Landed: requests > 0 && answers > 0,
			Detail: fmt.Sprintf("%d requests to the database and %d answers of it came %v later", requests, answers, by)}})
	})
}

// SilenceStore makes the target's database half open: it takes connections and requests, and answers nothing, until ended, at
// the latest when the procedure ends. What was said meanwhile is never delivered: the connections are taken away then. The
// intent may be nil.
func (s *Stage) SilenceStore(in *Intent) (end func()) {
	if s.target.remoteStore != nil {
		return s.silenceRemoteStore(in)
	}
	if s.target.store == nil {
		return func() {}
	}
	requests, answers := s.target.store.Hold(link.Requests, 0), s.target.store.Hold(link.Answers, 0)
	return s.heal(func() {
		held := requests.Held() + answers.Held()
		taken := s.target.store.Break()
		requests.Release()
		answers.Release()
		s.rec.add(history.Event{Fault: &history.Fault{Kind: history.FaultStoreSilence, Intent: intentID(in), Landed: held > 0,
			Detail: fmt.Sprintf("%d pieces were taken on the way to or from the database and never delivered, %d connections were cut", held, taken)}})
	})
}

func intentID(in *Intent) string {
	if in == nil {
		return ""
	}
	return in.ID
}
