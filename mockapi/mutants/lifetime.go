package mutants

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/store"
)

var lifetimeMutants = []Mutant{
	{
		Name:      "lifetime-cut-short",
		Defect:    "Keys are forgotten after half of the lifetime that is promised.",
		Stage:     "Collect",
		Operation: "create-ticket",
		Must:      []string{"key/retained"},
		May: []May{
			{"downstream/one-effect", "what is forgotten is booked again"},
		},
		Install: func(f *flow.Flow) { f.Contract.Lifetime /= 2 },
	},
	{
		Name:      "lifetime-ends-seconds-early",
		Defect:    "Keys are forgotten five seconds before their lifetime ends: its clock is ahead of the one it promises by.",
		Stage:     "Collect",
		Operation: "create-payment",
		Must:      []string{"key/retained"},
		May: []May{
			{"downstream/one-effect", "what is forgotten is booked again"},
		},
		Install: func(f *flow.Flow) { f.Contract.Lifetime -= 5 * time.Second },
	},
	{
		Name:      "lifetime-never-ends",
		Defect:    "Keys are remembered for good, although a lifetime is promised after which they are executed anew.",
		Stage:     "Collect",
		Operation: "create-ticket",
		Must:      []string{"key/expired"},
		Install:   func(f *flow.Flow) { f.Contract.Lifetime = 0 },
	},
	{
		Name:      "lifetime-drops-unresolved",
		Defect:    "What is older than its lifetime is removed, also where nobody knows yet what became of it.",
		Stage:     "Collect",
		Operation: "create-ticket",
		Must:      []string{"key/unresolved-kept"},
		May: []May{
			{"downstream/one-effect", "what is forgotten is booked again"},
		},
		Install: dropUnresolved,
	},
}

// dropUnresolved removes open claims by their age alone.
func dropUnresolved(f *flow.Flow) {
	collect := f.Collect
	f.Collect = func(ctx context.Context) (int, error) {
		collected, err := collect(ctx)
		if err != nil {
			return collected, err
		}
		return collected, f.Store.Update(ctx, func(tx store.Tx) error {
			now, err := f.Now(tx)
			if err != nil {
				return err
			}
			claims, err := tx.OpenClaims()
			if err != nil {
				return err
			}
			for _, claim := range claims {
				entry, err := flow.Load(tx, claim.ID)
				if err != nil {
					return err
				}
				if now.Sub(entry.Created) < f.Contract.Lifetime {
					continue
				}
				if err := tx.DeleteClaim(claim.ID); err != nil {
					return err
				}
			}
			return nil
		})
	}
}
