package target

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Holds tells whether the steady state still holds: an unfaulted write of the operation is answered with a result, and seen.
// Where it does not, the error says why, and the history shows it: what was seen of the target since may be no more than its
// outage.
func (t *Target) Holds(ctx context.Context, op *config.Operation) (*history.History, error) {
	s := t.Stage(steadyScenario, op, StageOptions{})
	err := s.again(ctx)
	if err != nil {
		s.Abort(err, verdict.Environment)
	}
	hs := s.Histories()
	t.lastShared(ctx)
	t.actors.disperse()
	if err == nil || len(hs) == 0 {
		return nil, err
	}
	return hs[0], fmt.Errorf("operation %s: %w", op.Name, err)
}

func (s *Stage) again(ctx context.Context) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	f := s.patiently(ctx, in, Send{Label: "steady"})
	f.Wait(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := s.refused(ctx, f); err != nil {
		return err
	}
	return s.unseen(ctx, in, s.awaitEffects(ctx, in, s.target.cfg.Timeouts.Recovery))
}

// Discard marks every trial of the stage: nothing may be concluded from them.
func (s *Stage) Discard(why error, blame verdict.Blame) {
	for _, trial := range s.trials() {
		trial.rec.abort(s.target.redact.text(why.Error()), string(blame))
	}
}
