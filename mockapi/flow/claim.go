package flow

import (
	"context"
	"errors"

	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// ErrReplaced is a report of an owner that another one took over from. What hung on the report was undone.
var ErrReplaced = errors.New("another owner took over")

// claim reads, decides and writes in one transaction.
func (f *Flow) claim(ctx context.Context, call *Call) (entry Entry, decision reference.Decision, err error) {
	for {
		err = f.Store.Update(ctx, func(tx store.Tx) (err error) {
			entry, decision, err = f.Look(tx, call)
			switch {
			case err != nil || decision != reference.Execute:
				return err
			case entry.Version == 1:
				return Insert(tx, entry)
			}
			return Save(tx, entry)
		})
		if !errors.Is(err, store.ErrExists) { // a store without one writer at a time may find a rival's claim that late
			return entry, decision, err
		}
	}
}

// Look reads the record of a call and decides about its claim, without writing anything.
func (f *Flow) Look(r store.Reader, call *Call) (Entry, reference.Decision, error) {
	entry, err := Load(r, call.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Entry{}, "", err
	}
	now, err := f.Now(r)
	if err != nil {
		return Entry{}, "", err
	}
	record, decision := reference.Step(f.Contract, entry.Record, reference.Claim{
		Scope: call.ID.Scope, Key: call.ID.Key, Fingerprint: call.Fingerprint, Owner: call.Owner,
	}, now)
	if decision != reference.Execute {
		return entry, decision, nil
	}
	claimed := Entry{Record: record, Tenant: call.Principal.Tenant, Operation: call.Operation.Name, Command: call.JSON}
	if f.books(claimed) {
		claimed.Owes = true
		if claimed.call, err = booking(claimed); err != nil {
			return Entry{}, "", err
		}
	}
	return claimed, decision, nil
}

// report runs a transaction in which step reports an event about an entry as it is now stored; a refused report undoes it.
func (f *Flow) report(ctx context.Context, id store.ID, step func(store.Tx, Entry) (reference.Event, error)) (entry Entry, err error) {
	err = f.Store.Update(ctx, func(tx store.Tx) (err error) {
		if entry, err = Load(tx, id); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				return ErrReplaced // and what the other one did is forgotten by now
			}
			return err
		}
		event, err := step(tx, entry)
		if err != nil {
			return err
		}
		now, err := f.Now(tx)
		if err != nil {
			return err
		}
		record, decision := reference.Step(f.Contract, entry.Record, event, now)
		if decision == reference.Refuse {
			return ErrReplaced
		}
		entry.Record = record
		return Save(tx, entry)
	})
	if err == nil {
		f.settled.ring(id)
	}
	return entry, err
}

func (f *Flow) complete(ctx context.Context, entry Entry, effect Effect) (answer Answer, err error) {
	_, err = f.report(ctx, entry.ID(), func(tx store.Tx, _ Entry) (reference.Event, error) {
		answer, err = effect(tx)
		return reference.Complete{Owner: entry.Owner, Version: entry.Version, Answer: answer}, err
	})
	return answer, err
}

func (f *Flow) fail(ctx context.Context, entry Entry, failure reference.Fail) (Answer, error) {
	failure.Owner, failure.Version = entry.Owner, entry.Version
	_, err := f.report(ctx, entry.ID(), func(store.Tx, Entry) (reference.Event, error) { return failure, nil })
	if failure.Uncertain || err != nil {
		f.recovery.hurry()
	}
	return failure.Answer, err
}
