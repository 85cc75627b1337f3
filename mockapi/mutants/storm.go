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
}
