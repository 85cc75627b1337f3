package lost

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const (
	// shrinkPlays bounds how often a schedule is played while it is made smaller.
	shrinkPlays = 90
	// A smaller schedule is taken where it fails againOf times in at most ofPlays; where the whole one failed every time, once
	// is enough.
	againOf, ofPlays = 2, 3
	// confirmPlays and confirmTime bound how often what is left is played again.
	confirmPlays, confirmTime = 12, 30 * time.Second
	// hurry shortens how long smaller schedules wait for what is stuck; what is left in the end is given all the time.
	hurry = 8
)

// shrunk makes a schedule that failed smaller. The target decides in which order it does what it is given, so that a schedule may
// fail now and pass next time: how often it failed is written beside it.
func shrunk(ctx context.Context, s, trial *target.Stage, h *history.History) (err error) {
	limit := cmp.Or(s.Storm().Shrink, storm.UsualShrink)
	k := &smaller{stage: s, from: h.ID, until: time.Now().Add(limit), patience: s.Config().Timeouts.Recovery, most: shrinkPlays, anew: s.CanBeNew()}
	if k.anew {
		defer func() {
			if before := s.AsBefore(context.WithoutCancel(ctx)); err == nil {
				err = before
			}
		}()
	}
	again, failed, n, trials := k.fails(ctx, h.Storm.Schedule, againOf, ofPlays)
	trial.Plays(history.Storm{Schedule: h.Storm.Schedule, Failed: 1 + failed, Plays: 1 + n})
	s.Forget(trials...)
	if !again || k.broken != nil {
		return k.broken
	}
	k.times, k.of = againOf, ofPlays
	if failed == n {
		k.times, k.of = 1, 1
	}
	k.until = time.Now().Add(limit)
	waits := stuck(caseOf(s), h)
	if waits {
		k.patience /= hurry
	}
	if calm := h.Storm.Schedule.Unbeaten(); !k.anew && calm != nil && waits && !k.try(ctx, calm) {
		// What a kill left unfinished, and nobody finishes, may be in the way of all that is played after it: only on a target
		// that is as new would a smaller schedule fail by itself.
		s.Note("the schedule of %s was not made smaller: what its kills left unfinished is still there", h.ID)
		return k.broken
	}
	k.shrink(ctx, suspects(caseOf(s), h))
	over := time.Now().After(k.until)
	smallest := k.confirm(ctx)
	told := "not made smaller"
	if smallest != nil {
		told = fmt.Sprintf("made smaller: from %d calls to %d", len(h.Storm.Schedule.Calls), len(smallest.Calls))
	}
	s.Note("the schedule of %s was %s, in %d plays", h.ID, told, k.plays)
	if over {
		s.Note("the time for that, %v, was over: --storm-shrink gives it longer", limit)
	}
	return k.broken
}

// smaller plays schedules on their way to a smaller one.
type smaller struct {
	stage     *target.Stage
	from      string
	until     time.Time
	patience  time.Duration
	anew      bool // each play has a new target
	times, of int  // a schedule is taken that fails so many times of so many plays
	last      bool // the plays are kept
	plays     int
	most      int
	taken     []*storm.Schedule // that failed, each smaller than the one before
	broken    error
}

// shrink begins with the first of the schedules that fails; the last of them is known to.
func (k *smaller) shrink(ctx context.Context, from []*storm.Schedule) {
	whole := len(from) - 1
	for i, schedule := range from {
		if i < whole && !k.try(ctx, schedule) {
			continue
		}
		storm.Shrink(schedule, shrinkPlays, func(candidate *storm.Schedule) bool { return k.try(ctx, candidate) })
		return
	}
}

// try takes a schedule that fails.
func (k *smaller) try(ctx context.Context, schedule *storm.Schedule) bool {
	ok, _, _, trials := k.fails(ctx, schedule, k.times, k.of)
	k.stage.Forget(trials...)
	if ok {
		k.taken = append(k.taken, schedule)
	}
	return ok
}

// confirm plays the smallest again, with all the time that a target may take to recover, and keeps a play that failed. It may
// have failed by chance before, or in a hurry, and what came after it as well: then one that was taken earlier is played.
func (k *smaller) confirm(ctx context.Context) *storm.Schedule {
	k.patience = k.stage.Config().Timeouts.Recovery
	k.until, k.most, k.last = time.Now().Add(confirmTime), k.plays+confirmPlays, true
	for n := len(k.taken); n > 0; n /= 2 {
		smallest := k.taken[n-1]
		var kept *target.Stage
		again, failed, n, trials := k.fails(ctx, smallest, againOf, ofPlays)
		for _, t := range trials {
			if outcome, _ := judged(k.stage, t); again && kept == nil && outcome == verdict.Fail {
				kept = t
				kept.Plays(history.Storm{Schedule: smallest, From: k.from, Failed: failed, Plays: n})
				continue
			}
			k.stage.Forget(t)
		}
		if again {
			return smallest
		}
		k.stage.Note("a schedule of %d calls failed once, and then %d of %d times: it is not kept", len(smallest.Calls), failed, n)
	}
	return nil
}

// fails plays a schedule until it is clear whether it fails so many times of so many plays.
func (k *smaller) fails(ctx context.Context, schedule *storm.Schedule, times, of int) (yes bool, failed, n int, trials []*target.Stage) {
	for n = 1; n <= of; n++ {
		if k.broken != nil || k.plays >= k.most || time.Now().After(k.until) || ctx.Err() != nil {
			break
		}
		if k.anew {
			if k.broken = k.stage.Anew(ctx); k.broken != nil {
				break
			}
		}
		k.plays++
		t := k.stage.Trial(fmt.Sprintf("smaller, play %d", k.plays))
		trials = append(trials, t)
		if k.broken = play(ctx, t, history.Storm{Schedule: schedule, From: k.from}, k.patience); k.broken != nil {
			break
		}
		if outcome, _ := judged(k.stage, t); outcome == verdict.Fail {
			failed++
			if k.anew && k.last {
				t.Settle(ctx) // its target goes before the run ends
			}
		}
		if failed == times || n-failed > of-times {
			return failed == times, failed, n, trials
		}
	}
	return false, failed, len(trials), trials
}
