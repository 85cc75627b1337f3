package target

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
)

// Enders end what a run that was killed left of its target and around it, for journal.Sweep.
func Enders() map[string]journal.Ender {
	all := map[string]journal.Ender{journal.Scratch: journal.EndScratch, link.RemoteProxy: link.EndRemoteProxy}
	maps.Copy(all, life.Enders())
	return all
}

// Sweep ends what runs left behind that were killed: a target that still runs, or stands still, is found by nobody else. What
// cannot be ended is no reason not to run; it is told, and tried again the next time.
func Sweep(ctx context.Context, tell func(what string)) {
	ended, err := journal.Sweep(ctx, Enders())
	if len(ended) > 0 {
		var names []string
		for _, t := range ended {
			names = append(names, t.Kind)
		}
		tell("ending what a run that was killed left behind: " + strings.Join(names, ", "))
	}
	if err != nil {
		tell(fmt.Sprintf("what a run that was killed left behind cannot be ended: %v", err))
	}
}
