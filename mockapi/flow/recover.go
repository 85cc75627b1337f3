package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

const (
	resolveTogether  = 16
	firstPassLimit   = 3 * time.Second // of the pass that serving waits for; the rest is resolved meanwhile
	shortestInterval = 250 * time.Millisecond
	longestInterval  = 4 * time.Second
)

// recovery is the state of the resolving of operations whose owner is gone.
type recovery struct {
	wake      chan struct{}
	resolving singleflight.Group // by record: two that resolve one would only take over from each other
}

// hurry asks the background for a pass soon.
func (r *recovery) hurry() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Recover finds the operations that an earlier process left behind, notes that their owners are gone and resolves them by
// asking downstream. It returns when all are resolved or shortly after, and goes on in the background while some are not.
// Call it once, before serving.
func (f *Flow) Recover(ctx context.Context) error {
	err := f.Store.Update(ctx, func(tx store.Tx) error {
		return f.eachOrphan(tx, func(entry Entry) error { return f.Orphan(tx, entry) })
	})
	if err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	pass, cancel := context.WithTimeout(ctx, firstPassLimit)
	defer cancel()
	unresolved, err := f.resolveAll(pass)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("recover: %w", err)
	}
	work, leave, err := f.enter(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	if unresolved > 0 {
		f.Log.Warn("operations with an unknown outcome remain", "count", unresolved)
		f.recovery.hurry()
	}
	go func() {
		defer leave()
		f.background(work)
	}()
	return nil
}

func (f *Flow) background(ctx context.Context) {
	interval := shortestInterval
	var retry <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.recovery.wake:
			interval = shortestInterval
		case <-retry:
		}
		retry = nil
		if unresolved, err := f.resolveAll(ctx); unresolved > 0 || err != nil {
			retry = time.After(interval)
			interval = min(2*interval, longestInterval)
		}
	}
}

// resolveAll resolves what no attempt of this process is at work on, and counts what it could not resolve.
func (f *Flow) resolveAll(ctx context.Context) (unresolved int, err error) {
	var orphans []Entry
	err = f.Store.View(ctx, func(r store.Reader) error {
		orphans = nil
		return f.eachOrphan(r, func(entry Entry) error { orphans = append(orphans, entry); return nil })
	})
	if err != nil {
		return 0, err
	}
	done := make([]bool, len(orphans))
	var all errgroup.Group
	all.SetLimit(resolveTogether)
	for i, orphan := range orphans {
		all.Go(func() (err error) {
			done[i], err = f.Resolve(ctx, orphan)
			return err
		})
	}
	err = all.Wait()
	for _, d := range done {
		if !d {
			unresolved++
		}
	}
	return unresolved, err
}

func (f *Flow) eachOrphan(r store.Reader, do func(Entry) error) error {
	claims, err := r.OpenClaims()
	if err != nil {
		return err
	}
	for _, claim := range claims {
		entry, err := decode(claim)
		if err != nil {
			return err
		}
		if f.atWork(entry) {
			continue
		}
		if err := do(entry); err != nil {
			return err
		}
	}
	return nil
}

// atWork tells whether an attempt of this process is doing the entry's work; one whose outcome is unknown has given up.
func (f *Flow) atWork(entry Entry) bool {
	return entry.State == reference.InProgress && f.live.has(entry.Owner)
}

// orphan lets the entry read as unknown until it is resolved.
func (f *Flow) orphan(tx store.Tx, entry Entry) error {
	record, _ := reference.Step(f.Contract, entry.Record, reference.Crash{Owner: entry.Owner, Version: entry.Version}, time.Now())
	entry.Record = record
	return Save(tx, entry)
}

func (f *Flow) resolve(ctx context.Context, entry Entry) (bool, error) {
	id := entry.ID()
	resolved, err, _ := f.recovery.resolving.Do(id.Scope+"\x00"+id.Key, func() (any, error) {
		return f.takeOver(ctx, id)
	})
	return resolved.(bool), err
}

// takeOver becomes the owner of an entry, finds out what the last one did, and completes or releases the entry.
func (f *Flow) takeOver(ctx context.Context, id store.ID) (resolved bool, err error) {
	owner := newOwner()
	f.live.add(owner)
	defer f.live.remove(owner)

	entry, err := f.report(ctx, id, func(_ store.Tx, entry Entry) (reference.Event, error) {
		if f.atWork(entry) {
			return nil, errBusy
		}
		return reference.TakeOver{Owner: owner}, nil
	})
	switch {
	case errors.Is(err, errBusy):
		return false, nil
	case errors.Is(err, ErrReplaced), errors.Is(err, store.ErrNotFound), err == nil && entry.State.Final():
		return true, nil // settled by somebody else meanwhile
	case err != nil:
		return false, fmt.Errorf("take over %s %s: %w", id.Scope, id.Key, err)
	}
	switch f.Lookup(ctx, entry) {
	case Booked:
		command, err := f.operations[entry.Operation].Restore(entry.Command)
		if err != nil {
			return false, err
		}
		_, err = f.Complete(ctx, entry, f.Effect(command, entry.Tenant))
		return err == nil, ignoreReplaced(err)
	case NotBooked:
		_, err := f.Fail(ctx, entry, reference.Fail{})
		return err == nil, ignoreReplaced(err)
	}
	f.Log.Info("the outcome is still unknown", "operation", entry.Operation)
	return false, nil
}

var errBusy = errors.New("an attempt of this process is at work on it")

func ignoreReplaced(err error) error {
	if errors.Is(err, ErrReplaced) {
		return nil
	}
	return err
}
