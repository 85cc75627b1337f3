package mutants

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// shortWindow is what some take for long enough to catch duplicates.
const shortWindow = 1500 * time.Millisecond

var forgetMutants = []Mutant{
	{
		Name:      "window-of-seconds",
		Defect:    "It remembers a key for less than two seconds: what is sent again later is executed again.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"replay/one-effect#resource", "replay/no-downstream"},
		May: []May{
			{"status/by-key", "what is forgotten cannot be found by its key"},
			{"key/distinct-keys", "on a slow machine a trial takes longer than it remembers"},
			{"downstream/own-key", "so does one that is executed again under a downstream key of its own"},
		},
		Install: forgetful,
	},
	{
		Name:      "lifetime-ends-seconds-early",
		Defect:    "Keys are forgotten five seconds before their lifetime ends: its clock is ahead of the one it promises by.",
		Stage:     "Collect",
		Operation: "create-payment",
		Must:      []string{"key/retained"},
		Install:   func(f *flow.Flow) { f.Contract.Lifetime -= 5 * time.Second },
	},
}

// forgetful drops the record of a finished operation some time after its key came first.
func forgetful(f *flow.Flow) {
	var first sync.Map // times by store.ID
	claim := f.Claim
	f.Claim = func(ctx context.Context, call *flow.Call) (flow.Entry, reference.Decision, error) {
		var now time.Time
		if err := f.Store.View(ctx, func(r store.Reader) (err error) { now, err = f.Now(r); return err }); err != nil {
			return flow.Entry{}, "", err
		}
		since, known := first.LoadOrStore(call.ID, now)
		if known && now.Sub(since.(time.Time)) > shortWindow {
			first.Store(call.ID, now)
			if err := drop(ctx, f, call.ID); err != nil {
				return flow.Entry{}, "", err
			}
		}
		return claim(ctx, call)
	}
}

func drop(ctx context.Context, f *flow.Flow, id store.ID) error {
	return f.Store.Update(ctx, func(tx store.Tx) error {
		entry, err := flow.Load(tx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil // its lifetime was over before
		}
		if err != nil || !entry.State.Final() {
			return err
		}
		return tx.DeleteClaim(id)
	})
}
