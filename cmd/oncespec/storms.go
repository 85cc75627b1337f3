package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// file is the schedule to play: the one that was named, or of a run's folder the smallest that failed.
func (c *ReplayCmd) file(to streams) (string, error) {
	if info, err := os.Stat(c.Schedule); err != nil || !info.IsDir() {
		return c.Schedule, nil // reading it tells what is wrong
	}
	plan, histories, err := run.Load(c.Schedule)
	if err != nil {
		return "", err
	}
	storms := run.Storms(plan, histories)
	if len(storms) == 0 {
		return "", fmt.Errorf("%s holds no schedule of a storm: lost/storm leaves them", c.Schedule)
	}
	slices.SortStableFunc(storms, func(a, b run.Storm) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(size(a), size(b)))
	})
	if rank(storms[0]) > 0 && len(storms) > 1 {
		return "", fmt.Errorf("%s holds %d schedules, none of which failed; name the one that is meant:\n%s", c.Schedule, len(storms), listed(c.Schedule, storms))
	}
	if len(storms) > 1 && !c.Quiet {
		fmt.Fprintf(to.err, "of %d schedules this is the smallest that failed:\n%sthe others:\n%s", len(storms), listed(c.Schedule, storms[:1]), listed(c.Schedule, storms[1:]))
	}
	return storms[0].Schedule(c.Schedule), nil
}

// rank is 0 for what failed.
func rank(s run.Storm) int {
	if s.Verdict.Verdict == verdict.Fail {
		return 0
	}
	return 1
}

// size is how much there is of a schedule.
func size(s run.Storm) (n int) {
	schedule := s.History.Storm.Schedule
	n = len(schedule.Calls) + len(schedule.Blows)
	for _, call := range schedule.Calls {
		n += len(call.Faults)
	}
	return n
}

// listed describes schedules, a line each.
func listed(dir string, storms []run.Storm) string {
	var b strings.Builder
	for _, s := range storms {
		storm := s.History.Storm
		faults := size(s) - len(storm.Schedule.Calls) - len(storm.Schedule.Blows)
		fmt.Fprintf(&b, "  %s  %d calls, %d faults, %d kills and pauses; %s", s.Schedule(dir), len(storm.Schedule.Calls), faults, len(storm.Schedule.Blows), s.Verdict.Verdict)
		if storm.Plays > 0 {
			fmt.Fprintf(&b, " (%d of %d times)", storm.Failed, storm.Plays)
		}
		if storm.From != "" {
			fmt.Fprintf(&b, ", made smaller from %s", storm.From)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
