package failure

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/scenarios/target"
)

// patience is how long a client waits for a target whose database does not answer.
const patience = time.Second

// storeDown sends a write while the target's database cannot be reached, and while it takes everything and answers nothing, and
// retries when it is back.
func storeDown(ctx context.Context, s *target.Stage) error {
	s.Note("each way to be without a database is a trial of its own")
	if err := withoutStore(ctx, s.Trial("cut"), func(s *target.Stage, in *target.Intent) func() { _, mend := s.CutStore(in); return mend }); err != nil {
		return err
	}
	return withoutStore(ctx, s.Trial("silent"), (*target.Stage).SilenceStore)
}

func withoutStore(ctx context.Context, s *target.Stage, begin func(*target.Stage, *target.Intent) (end func())) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	end := begin(s, in)
	defer end()
	s.Do(ctx, in, target.Send{Timeout: min(patience, s.Config().Timeouts.Request)})
	s.Autopsy(ctx, in, "down")
	end()
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
