package target

import (
	"context"
	"slices"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// Watch looks at the intent again and again until it is seen in the phase (AfterClaim: its state reads in progress and nothing is
// done; AfterEffect: its effect shows and its state is not final). False: the flight began to be answered, or ended, before that.
// Nothing is recorded, and no duplicate sent.
func (s *Stage) Watch(ctx context.Context, in *Intent, f *Flight, phase string) (seen bool, evidence []string) {
	for f.wire != nil && ctx.Err() == nil {
		now := s.see(ctx, in)
		select {
		case <-f.wire.FirstResponse():
			return false, now.evidence
		case <-f.done:
			return false, now.evidence
		default:
		}
		if phase == history.AfterEffect && now.local == 0 {
			continue // only a booking: crash/after-effect covers that moment by holding the call
		}
		if now.phase() == phase {
			return true, append(now.evidence, "its answer had not begun")
		}
	}
	return false, nil
}

// Autopsy reads and records the probes that need no running target: the gate's ledger, a database, a command. What they show of a
// target that was just killed is where it stood.
func (s *Stage) Autopsy(ctx context.Context, in *Intent, moment string) {
	g := s.target.steadyOf(in.Operation)
	var list []history.Observation
	for _, e := range in.state.operation.probes {
		if e.asTenant {
			continue
		}
		if o, ok := s.look(ctx, in, e, moment, g); ok {
			list = append(list, o)
		}
	}
	s.record(list)
}

// Apart tells whether intents of the operation that act at the same time can be told apart by every probe.
func (s *Stage) Apart() bool {
	op := s.run.op
	return op.Isolate != config.Exclusive && !slices.ContainsFunc(s.target.operations[op].probes, func(e *stateProbe) bool { return e.shared })
}
