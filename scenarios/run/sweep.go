package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/scenarios/target"
)

// sweep ends what runs left behind that were killed: a target that still runs, or stands still, is found by nobody else. What
// cannot be ended is no reason not to run; it is told, and tried again the next time.
func (r *Run) sweep(ctx context.Context) {
	ended, err := journal.Sweep(ctx, target.Enders())
	if len(ended) > 0 {
		var names []string
		for _, t := range ended {
			names = append(names, t.Kind)
		}
		r.opts.Progress.Doing("ending what a run that was killed left behind: " + strings.Join(names, ", "))
	}
	if err != nil {
		r.opts.Progress.Doing(fmt.Sprintf("what a run that was killed left behind cannot be ended: %v", err))
	}
}
