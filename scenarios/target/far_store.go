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

// openFarStore has the link to the target's database on the Toxiproxy of somebody else's through which the target is reached: what
// lies there reaches its database by it.
func (t *Target) openFarStore(ctx context.Context, c *config.Store) (err error) {
	if t.farStore, err = t.remote.Relay(ctx, c.Listen, c.Upstream); err != nil {
		return &EnvironmentError{What: "target.store", Err: err}
	}
	if err := keeps(ctx, t.farStore.Addr); err != nil {
		return &EnvironmentError{What: "target.store.upstream " + c.Upstream, Err: fmt.Errorf("the Toxiproxy takes nobody there (%w); is the database running?", err)}
	}
	return nil
}

// farLatency is how much later everything comes, each way, while it is found out whether an operation uses such a link. An operation
// that takes that long by itself is asked with more.
const farLatency = 150 * time.Millisecond

// learnFarStore sees whether the operation reaches its database by a link that tells nobody what passes it: then it takes longer where the
// link is slow. usual is the attempt of the steady state.
func (s *Stage) learnFarStore(ctx context.Context, usual *history.Attempt, o *offers) error {
	far := s.target.farStore
	if far == nil {
		return nil
	}
	o.lacks(catalogue.NeedStoreLink, "a Toxiproxy of somebody else's does not tell what passes the link to the database, and cannot hold it at a moment of one's choice")
	by := max(farLatency, 2*worked(usual)).Round(time.Millisecond)
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

// far does something to the far link, and records it as a fault. What it did there is told by the server alone: that the operation depends on the link was seen
// in the steady state.
func (s *Stage) far(kind string, in *Intent, detail string, do func(context.Context) error) {
	fault := &history.Fault{Kind: kind, Intent: intentID(in), Landed: true, Detail: detail + ", by the Toxiproxy at " + s.target.cfg.Toxiproxy.URL}
	if err := do(context.Background()); err != nil { // the client bounds it
		fault.Landed, fault.Detail = false, s.target.redact.text(err.Error())
	}
	s.rec.add(history.Event{Fault: fault})
}

// cutFarStore is CutStore; how many connections it took nobody knows.
func (s *Stage) cutFarStore(in *Intent) (mend func()) {
	far, cut := s.target.farStore, false
	s.far(history.FaultStoreCut, in, "the connections to the database were cut, and new ones were seen to be turned away", func(ctx context.Context) error {
		err := far.Cut(ctx)
		cut = err == nil
		return err
	})
	return s.heal(func() {
		s.far(history.FaultStoreMend, in, "connections to the database may be made again", func(ctx context.Context) error {
			err := far.Mend(ctx)
			if err == nil && !cut {
				err = fmt.Errorf("it had not been cut")
			}
			return err
		})
	})
}

// delayFarStore is DelayStore.
func (s *Stage) delayFarStore(in *Intent, by time.Duration) (end func()) {
	far := s.target.farStore
	err := far.Delay(context.Background(), by)
	return s.heal(func() {
		s.far(history.FaultStoreDelay, in, fmt.Sprintf("what passes between the target and its database came %v later", by), func(ctx context.Context) error {
			if ended := far.Delay(ctx, 0); ended != nil {
				return ended
			}
			return err
		})
	})
}

// silenceFarStore is SilenceStore.
func (s *Stage) silenceFarStore(in *Intent) (end func()) {
	far := s.target.farStore
	err := far.Silence(context.Background())
	return s.heal(func() {
		s.far(history.FaultStoreSilence, in, "what was sent to the database or by it was taken and never delivered, and the connections were cut", func(ctx context.Context) error {
			if ended := far.Speak(ctx); ended != nil {
				return ended
			}
			return err
		})
	})
}

// slowFarStore is the rung of a store link that is slow.
func slowFarStore(far *link.FarRelay) burst.Rung {
	return burst.Rung{
		Name: burst.StoreLatencyName,
		Arm:  func(ctx context.Context) error { return far.Delay(ctx, power.Latency) },
		End:  func() { _ = far.Delay(context.Background(), 0) }, // what is left of it is cleared by the next change
	}
}
