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
		Name:      "unprotected-when-busy",
		Defect:    "While it works for others it does not wait for its key records: a retry that comes then executes again.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"lost/storm", "downstream/one-effect"},
		Install: func(f *flow.Flow) {
			var busy atomic.Int64
			execute, replay := f.Execute, f.Replay
			f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				busy.Add(1)
				defer busy.Add(-1)
				return execute(ctx, call, entry)
			}
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if busy.Load() > 0 {
					return f.Unkeyed(ctx, call)
				}
				return replay(ctx, call, entry)
			}
		},
	},
	{
		Name:      "replays-share-a-buffer",
		Defect:    "Stored answers are read into one buffer: of two replays at once, one gets the other's answer.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"lost/storm"},
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
		Name:      "recovers-the-first-only",
		Defect:    "After a restart it recovers the first unfinished operation and none of the others, which stay in progress for ever.",
		Stage:     "Orphan",
		Operation: "create-ticket",
		Must:      []string{"lost/storm"},
		Install: func(f *flow.Flow) {
			orphan, resolve := f.Orphan, f.Resolve
			var found atomic.Int64
			f.Orphan = func(tx store.Tx, entry flow.Entry) error {
				if found.Add(1) > 1 {
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
		Name:      "keeps-six-records",
		Defect:    "It keeps the records of the last six operations: whoever comes back later executes again.",
		Stage:     "Complete",
		Operation: "create-ticket",
		Must:      []string{"lost/storm"},
		May: []May{
			{"downstream/reconciles", "two resources stand against one booking"},
			{"race/distinct-keys", "so does one of many keys at once that is sent again"},
			{"status/monotonic", "the state of an operation whose record is gone reads absent"},
		},
		Install: func(f *flow.Flow) {
			const kept = 6
			var mu sync.Mutex
			var newest []store.ID
			complete := f.Complete
			f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (flow.Answer, error) {
				answer, err := complete(ctx, entry, effect)
				if err != nil {
					return answer, err
				}
				mu.Lock()
				newest = append(newest, entry.ID())
				var oldest []store.ID
				if n := len(newest) - kept; n > 0 {
					oldest, newest = newest[:n:n], newest[n:]
				}
				mu.Unlock()
				return answer, f.Store.Update(ctx, func(tx store.Tx) error {
					for _, id := range oldest {
						if err := tx.DeleteClaim(id); err != nil {
							return err
						}
					}
					return nil
				})
			}
		},
	},
}
