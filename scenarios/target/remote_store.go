package target

import (
	"context"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/power"
)

// openRemoteStore puts the link to the target's database on the remote Toxiproxy through which the target itself is reached: a
// target over there reaches its database by it.
func (t *Target) openRemoteStore(ctx context.Context, c *config.Store) (err error) {
	if t.remoteStore, err = t.remote.Relay(ctx, c.Listen, c.Upstream); err != nil {
		return &EnvironmentError{What: "target.store", Err: err}
	}
	if err := keeps(ctx, t.remoteStore.Addr); err != nil {
		return &EnvironmentError{What: "target.store.upstream " + c.Upstream, Err: fmt.Errorf("the Toxiproxy takes nobody there (%w); is the database running?", err)}
	}
	return nil
}

// remoteLatency is how much the link is slowed down, each way, to find out whether an operation uses it. An operation that
// takes that long by itself is tried with more.
const remoteLatency = 150 * time.Millisecond

// learnRemoteStore finds out whether the operation uses a link on which nobody sees what passes: if it does, it takes longer
// while the link is slow. usual is the attempt of the steady state.
func (s *Stage) learnRemoteStore(ctx context.Context, usual *history.Attempt, o *offers) error {
	far := s.target.remoteStore
	if far == nil {
		return nil
	}
	o.lacks(catalogue.NeedStoreLink, "a Toxiproxy of somebody else's does not tell what passes the link to the database, and cannot hold it at a moment of one's choice")
	by := max(remoteLatency, 2*worked(usual)).Round(time.Millisecond)
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	end := s.DelayStore(nil, by)
	slow := s.Do(ctx, in, Send{Label: "control"})
	end()
	s.Resolve(ctx, in, Send{}) // it may have been too slow for the target
	if took := worked(slow); slow.Outcome == history.Answered && took < by {
		o.lacks(catalogue.NeedStoreCut, fmt.Sprintf("the operation takes no longer (%v) where all that passes the store link comes %v later: let the target call {store} instead of its database", took.Round(time.Millisecond), by))
	}
	return ctx.Err()
}

// worked is how long the target had a request before it began to answer.
func worked(a *history.Attempt) time.Duration {
	return max(0, time.Duration(a.Link.FirstByteAt-a.Link.LastRequestAt)*time.Microsecond)
}

// remoteFault acts on the remote link, and records it as a fault. Only the server says what it did there; that the operation
// depends on the link was seen in the steady state.
func (s *Stage) remoteFault(kind string, in *Intent, detail string, do func(context.Context) error) {
	fault := &history.Fault{Kind: kind, Intent: intentID(in), Landed: true, Detail: detail + ", by the Toxiproxy at " + s.target.cfg.Toxiproxy.URL}
	if err := do(context.Background()); err != nil { // the client bounds it
		fault.Landed, fault.Detail = false, s.target.redact.text(err.Error())
	}
	s.rec.add(history.Event{Fault: fault})
}

// cutRemoteStore is CutStore, without the number of connections, which nobody knows.
func (s *Stage) cutRemoteStore(in *Intent) (mend func()) {
	far, cut := s.target.remoteStore, false
	s.remoteFault(history.FaultStoreCut, in, "the connections to the database were cut, and new ones were seen to be turned away", func(ctx context.Context) error {
		err := far.Cut(ctx)
		cut = err == nil
		return err
	})
	return s.heal(func() {
		s.remoteFault(history.FaultStoreMend, in, "connections to the database may be made again", func(ctx context.Context) error {
			err := far.Mend(ctx)
			if err == nil && !cut {
				err = fmt.Errorf("it had not been cut")
			}
			return err
		})
	})
}

// delayRemoteStore is DelayStore.
func (s *Stage) delayRemoteStore(in *Intent, by time.Duration) (end func()) {
	far := s.target.remoteStore
	err := far.Delay(context.Background(), by)
	return s.heal(func() {
		s.remoteFault(history.FaultStoreDelay, in, fmt.Sprintf("what passes between the target and its database came %v later", by), func(ctx context.Context) error {
			if ended := far.Delay(ctx, 0); ended != nil {
				return ended
			}
			return err
		})
	})
}

// silenceRemoteStore is SilenceStore.
func (s *Stage) silenceRemoteStore(in *Intent) (end func()) {
	far := s.target.remoteStore
	err := far.Silence(context.Background())
	return s.heal(func() {
		s.remoteFault(history.FaultStoreSilence, in, "what was sent to the database or by it was taken and never delivered, and the connections were cut", func(ctx context.Context) error {
			if ended := far.Speak(ctx); ended != nil {
				return ended
			}
			return err
		})
	})
}

// slowRemoteStore is the rung of a store link that is slow.
func slowRemoteStore(far *link.RemoteRelay) burst.Rung {
	return burst.Rung{
		Name: burst.StoreLatencyName,
		Arm:  func(ctx context.Context) error { return far.Delay(ctx, power.Latency) },
		End:  func() { _ = far.Delay(context.Background(), 0) }, // what is left of it is cleared by the next change
	}
}
