package mutants

import (
	"context"
	"errors"
	"time"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// linkMutants get wrong what a database that is reached over a network does.
var linkMutants = []Mutant{
	{
		Name:      "doubtful-commit-repeated",
		Defect:    "A commit whose answer was lost is taken for undone: the effect is made again, and so is its record.",
		Stage:     "Complete",
		Operation: "create-ticket",
		Postgres:  true,
		Must:      []string{"crash/store-link"},
		May: []May{
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: func(f *flow.Flow) {
			complete := f.Complete
			f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (answer flow.Answer, err error) {
				answer, err = complete(ctx, entry, effect)
				for end := time.Now().Add(2 * time.Second); errors.Is(err, store.ErrUnavailable) && time.Now().Before(end) && ctx.Err() == nil; {
					pause(ctx, window)
					err = f.Store.Update(ctx, func(tx store.Tx) (err error) {
						if answer, err = effect(tx); err != nil {
							return err
						}
						return report(f, tx, entry, reference.Complete{Owner: entry.Owner, Version: entry.Version, Answer: answer})
					})
				}
				return answer, err
			}
		},
	},
	{
		Name:      "store-down-executes",
		Defect:    "Where its database cannot be reached it executes without a claim, rather than refuse.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Postgres:  true,
		Must:      []string{"failure/store-down#cut"},
		May: []May{
			{"failure/store-down#silent", "a database that does not answer is one that cannot be reached, in the end"},
			{"crash/store-link", "a claim that is cut off is made without the database as well"},
			{"downstream/stable-key", "what nothing protects has a downstream key of its own"},
			{"downstream/one-effect", "the retry books again, under the key of its record"},
			{"downstream/reconciles", "two bookings stand against one resource"},
		},
		Install: func(f *flow.Flow) {
			f.Store = &lenient{f.Store, &store.Memory{}}
			claim := f.Claim
			f.Claim = func(ctx context.Context, call *flow.Call) (flow.Entry, reference.Decision, error) {
				entry, decision, err := claim(ctx, call)
				if errors.Is(err, store.ErrUnavailable) {
					return f.Unprotected(call), reference.Execute, nil
				}
				return entry, decision, err
			}
		},
	},
}

// lenient reads nothing rather than fail.
type lenient struct {
	store.Store
	empty *store.Memory
}

func (l *lenient) View(ctx context.Context, read func(store.Reader) error) error {
	err := l.Store.View(ctx, read)
	if errors.Is(err, store.ErrUnavailable) {
		return l.empty.View(ctx, read)
	}
	return err
}
