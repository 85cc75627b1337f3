package run

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// played is one run of a scenario, for what is still to be done on its stage.
type played struct {
	scenario target.Scenario
	step     Step
	stage    *target.Stage
}

// late runs the late parts of the scenarios that were played since: by now a target that remembers keys for some seconds only has
// forgotten them. It comes before anything is killed, since what a kill may rightly lose would otherwise be taken for forgotten.
func (r *Run) late(ctx context.Context) {
	within, cancel := r.limited(ctx)
	defer cancel()
	for ; r.later < len(r.played); r.later++ {
		p := r.played[r.later]
		if r.problem != nil || within.Err() != nil {
			return
		}
		if p.scenario.Late == nil {
			continue
		}
		r.opts.Progress.Doing("once more: " + p.step.Name())
		r.goOn(within, p)
		hs := p.stage.Histories()
		vs := judgeStep(r.plan, p.step.Operation, p.step.Requirements, hs)
		r.seen = append(r.seen, vs...)
		r.problem = r.mend(ctx, within, p.step, vs)
	}
}

// goOn does the late part of a scenario. What cannot be done any more is no harm to what was.
func (r *Run) goOn(ctx context.Context, p played) {
	defer func() {
		if e := recover(); e != nil {
			p.stage.Abort(fmt.Errorf("the procedure broke: %v", e), verdict.Harness)
		}
	}()
	if err := p.scenario.Late(ctx, p.stage); err != nil {
		p.stage.Note("not done once more: %v", err)
	}
}

// whole tells whether a stage left something, and nothing that was aborted.
func whole(hs []*history.History) bool {
	for _, h := range hs {
		if h.Aborted != "" {
			return false
		}
	}
	return len(hs) > 0
}
