package mutants

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// window is how long racy mutants leave between a look and what they do about it.
const window = 5 * time.Millisecond

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// unfenced makes owners report about the entry as they remember it, whoever has it by now. Fencing would hide most defects
// of a claim; those who get the claim wrong do not have it either.
func unfenced(f *flow.Flow) {
	f.Book = f.BookAnyway
	f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (answer flow.Answer, err error) {
		err = f.Store.Update(ctx, func(tx store.Tx) (err error) {
			if answer, err = effect(tx); err != nil {
				return err
			}
			return report(f, tx, entry, reference.Complete{Owner: entry.Owner, Version: entry.Version, Answer: answer})
		})
		return answer, err
	}
	f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
		failure.Owner, failure.Version = entry.Owner, entry.Version
		return failure.Answer, f.Store.Update(ctx, func(tx store.Tx) error { return report(f, tx, entry, failure) })
	}
}

func report(f *flow.Flow, tx store.Tx, entry flow.Entry, event reference.Event) error {
	now, err := f.Now(tx)
	if err != nil {
		return err
	}
	entry.Record, _ = reference.Step(f.Contract, entry.Record, event, now)
	return flow.Save(tx, entry)
}

// look decides about a claim without taking it.
func look(ctx context.Context, f *flow.Flow, call *flow.Call) (entry flow.Entry, decision reference.Decision, err error) {
	err = f.Store.View(ctx, func(r store.Reader) (err error) {
		entry, decision, err = f.Look(r, call)
		return err
	})
	return entry, decision, err
}

// settled reads an entry again and again until nobody is at work on it any more, but no longer than that.
func settled(ctx context.Context, f *flow.Flow, id store.ID, patience time.Duration) (entry flow.Entry, err error) {
	for end := time.Now().Add(patience); ; pause(ctx, time.Millisecond) {
		err = f.Store.View(ctx, func(r store.Reader) (err error) {
			entry, err = flow.Load(r, id)
			return err
		})
		if err != nil || entry.State != reference.InProgress || time.Now().After(end) {
			return entry, err
		}
	}
}

// keep stores an entry as it is.
func keep(ctx context.Context, f *flow.Flow, entry flow.Entry) error {
	return f.Store.Update(ctx, func(tx store.Tx) error { return flow.Save(tx, entry) })
}
