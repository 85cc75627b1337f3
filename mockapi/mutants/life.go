package mutants

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

var lifetimeMutants = []Mutant{
	{
		Name:      "lifetime-too-short",
		Defect:    "It forgets a key after half of the lifetime that it promises.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"key/retained"},
		Install:   func(f *flow.Flow) { f.Contract.Lifetime /= 2 },
	},
	{
		Name:      "expired-key-replays-for-ever",
		Defect:    "It never forgets: a key that is used again long after its lifetime gets the old answer.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"key/expired"},
		Install:   func(f *flow.Flow) { f.Contract.Lifetime, f.Contract.Expired = 0, contract.Response{} },
	},
	{
		Name:      "expired-key-never-executes",
		Defect:    "A key that was ever used is refused after its lifetime, although it promises to execute it.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"key/expired"},
		Install:   func(f *flow.Flow) { f.Contract.Expired = contract.Response{Action: contract.ActionRefuse} },
	},
	{
		Name:      "expiry-drops-unresolved",
		Defect:    "Old records are removed whether or not their operation is resolved: the retry executes what may be done.",
		Stage:     "Collect",
		Operation: "create-ticket",
		Must:      []string{"key/unresolved-kept"},
		May: []May{
			{"downstream/one-effect", "what is forgotten is booked again"},
		},
		Install: expiryDropsUnresolved,
	},
}

// expiryDropsUnresolved goes by the age of a record alone.
func expiryDropsUnresolved(f *flow.Flow) {
	collect := f.Collect
	f.Collect = func(ctx context.Context) (int, error) {
		collected, err := collect(ctx)
		if err != nil || f.Contract.Lifetime == 0 {
			return collected, err
		}
		return collected, f.Store.Update(ctx, func(tx store.Tx) error {
			now, err := f.Now(tx)
			if err != nil {
				return err
			}
			claims, err := tx.OpenClaims()
			for _, claim := range claims {
				if err != nil {
					break
				}
				var entry flow.Entry
				if entry, err = flow.Load(tx, claim.ID); err == nil && !now.Before(entry.Created.Add(f.Contract.Lifetime)) {
					err = tx.DeleteClaim(claim.ID)
				}
			}
			return err
		})
	}
}

var leaseMutants = []Mutant{
	{
		Name:      "no-fencing",
		Defect:    "An owner that was stopped past its lease, and comes back after another took over, makes its effect all the same.",
		Stage:     "Complete",
		Operation: "create-ticket",
		Must:      []string{"crash/fencing"},
		May: []May{
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: unfenced,
	},
	{
		Name:      "takeover-executes-blindly",
		Defect:    "The claim of a server that stopped past its lease is free: the next retry executes it, under a new downstream key.",
		Stage:     "Orphan",
		Operation: "create-ticket",
		Must:      []string{"crash/fencing"},
		May: []May{
			{"downstream/stable-key", "the second attempt has a downstream key of its own"},
			{"downstream/one-effect", "the first attempt's call may have been made, or be made yet"},
			{"downstream/reconciles", "two bookings stand against one resource"},
		},
		Install: func(f *flow.Flow) {
			orphan := f.Orphan
			f.Orphan = func(tx store.Tx, entry flow.Entry) error {
				if f.Stopped(entry) {
					return forget(tx, entry)
				}
				return orphan(tx, entry)
			}
		},
	},
}

var outboxMutants = []Mutant{
	{
		Name:      "outbox-after-the-call",
		Defect:    "The outbox row, and the downstream key in it, is written after the call and not with the claim: killed in between, the retry books again.",
		Stage:     "Book",
		Operation: "create-ticket",
		Must:      []string{"crash/after-effect"},
		May: []May{
			{"downstream/stable-key", "the second attempt has a downstream key of its own"},
			{"downstream/one-effect", "both attempts are booked"},
			{"crash/sweep", "so are both of one that was killed at an instant of its own"},
		},
		Install: outboxAfterTheCall,
	},
}

// outboxAfterTheCall draws a downstream key for each call, and keeps it in the entry once the call is over.
func outboxAfterTheCall(f *flow.Flow) {
	var drawn sync.Map // keys by owner, until they are kept
	stored := f.DownstreamKey
	f.DownstreamKey = func(entry flow.Entry) string {
		if key, ok := drawn.Load(entry.Owner); ok {
			return key.(string)
		}
		return stored(entry)
	}
	f.Book = func(ctx context.Context, entry flow.Entry) flow.Outcome {
		key := reference.DownstreamKey("drawn", rand.Text())
		drawn.Store(entry.Owner, key)
		outcome := f.BookAnyway(ctx, entry)
		err := f.Store.Update(ctx, func(tx store.Tx) error {
			now, err := flow.Load(tx, entry.ID())
			if err != nil {
				return err
			}
			now.Downstream = key
			return flow.Save(tx, now)
		})
		if err != nil {
			f.Log.Warn("late outbox", "error", err)
		}
		drawn.Delete(entry.Owner)
		return outcome
	}
}

var stopMutants = []Mutant{
	{
		Name:      "stop-drops-work",
		Defect:    "Asked to stop it breaks off what is running and frees the keys, whatever was done by then.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"crash/graceful-stop"},
		May: []May{
			{"downstream/stable-key", "the second attempt has a downstream key of its own"},
			{"downstream/one-effect", "both attempts are booked"},
			{"downstream/reconciles", "the booking of the first attempt stands for nothing"},
		},
		Install: stopDropsWork,
	},
}

func stopDropsWork(f *flow.Flow) {
	execute := f.Execute
	f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
		tied, cancel := context.WithCancel(ctx)
		defer cancel()
		done := make(chan struct{})
		defer close(done)
		go func() {
			select {
			case <-f.Stopping():
				cancel()
			case <-done:
			}
		}()
		answer, err := execute(tied, call, entry)
		if ctx.Err() == nil && tied.Err() != nil {
			answer = flow.Problem(&command.Refusal{Status: http.StatusServiceUnavailable, Code: "stopping", Title: "The server is stopping"})
			err = f.Store.Update(ctx, func(tx store.Tx) error { return forget(tx, entry) })
		}
		return answer, err
	}
}
