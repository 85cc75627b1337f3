package suites

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/reports"
)

// Execute does what the registered tree does, without Ginkgo: for plain tests, several at a time. An error means that
// nothing could be planned or started by our own fault; what the environment did is in the report.
func Execute(ctx context.Context, o Options) (*reports.Report, error) {
	o = o.fill()
	plan, err := o.plan()
	if err != nil {
		return nil, err
	}
	s := &Suite{opts: o, plan: plan, ctx: ctx, started: time.Now()}
	s.start(ctx)
	for _, step := range plan.Steps {
		if s.problem != nil || ctx.Err() != nil {
			break
		}
		if _, err := s.run.Step(ctx, step); err != nil && ctx.Err() == nil {
			s.problem = err
		}
	}
	s.interrupted = ctx.Err() != nil
	if s.run != nil {
		s.finish(ctx)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupGrace)
	defer cancel()
	return s.told(s.stop(closing))
}
