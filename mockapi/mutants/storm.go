package mutants

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// stormMutants get right whatever comes alone.
var stormMutants = []Mutant{
	{
		Name:      "replays-share-a-buffer",
		Defect:    "Stored answers are read into one buffer: of two replays at once, one gets the other's answer.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"race/one-effect"},
		Install: func(f *flow.Flow) {
			var mu sync.Mutex
			var buffer flow.Answer
			replay := f.Replay
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				mu.Lock()
				buffer = entry.Answer
				mu.Unlock()
				pause(ctx, window)
				mu.Lock()
				entry.Answer = buffer
				mu.Unlock()
				return replay(ctx, call, entry)
			}
		},
	},
	{
		Name:      "recovers-two-only",
		Defect:    "After a restart it recovers the first two unfinished operations and none of the others, which stay in progress for ever.",
		Stage:     "Orphan",
		Operation: "create-ticket",
		Must:      []string{"crash/sweep#resolves"},
		May:       []May{{"lost/storm", "where the sweep left it unseen"}},
		Install: func(f *flow.Flow) {
			orphan, resolve := f.Orphan, f.Resolve
			var found atomic.Int64
			f.Orphan = func(tx store.Tx, entry flow.Entry) error {
				if found.Add(1) > 2 {
					return nil
				}
				return orphan(tx, entry)
			}
			f.Resolve = func(ctx context.Context, entry flow.Entry) (bool, error) {
				if entry.State == reference.InProgress {
					return true, nil
				}
				return resolve(ctx, entry)
			}
		},
	},
	{
		Name:      "fence-outlives-recovery",
		Defect:    "Recovery fences a dead attempt off by its key, not its version: the retry is not recorded either, and done again when asked again.",
		Stage:     "Complete",
		Operation: "create-ticket",
		Must:      []string{"lost/storm"},
		May: []May{
			{"downstream/reconciles", "in the storm two resources stand against one booking"},
		},
		Install: fencedByKey,
	},
}

// fencedByKey keeps the keys that recovery released after a crash. An attempt whose record is refused then lets go of the key,
// its effect made. The crash pack asks each operation once after a restart, and sees one effect; a storm asks again.
func fencedByKey(f *flow.Flow) {
	var dead, fenced sync.Map // by store.ID
	orphan, fail, complete := f.Orphan, f.Fail, f.Complete
	f.Orphan = func(tx store.Tx, entry flow.Entry) error {
		if entry.State == reference.InProgress && !f.Stopped(entry) {
			dead.Store(entry.ID(), true)
		}
		return orphan(tx, entry)
	}
	f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
		answer, err := fail(ctx, entry, failure)
		if _, orphaned := dead.LoadAndDelete(entry.ID()); orphaned && err == nil && failure.Answer.Status == 0 && !failure.Uncertain {
			fenced.Store(entry.ID(), true)
		}
		return answer, err
	}
	f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (answer flow.Answer, err error) {
		if _, refused := fenced.Load(entry.ID()); !refused {
			return complete(ctx, entry, effect)
		}
		err = f.Store.Update(ctx, func(tx store.Tx) error {
			if answer, err = effect(tx); err != nil {
				return err
			}
			return report(f, tx, entry, reference.Fail{Owner: entry.Owner, Version: entry.Version})
		})
		return answer, err
	}
}
