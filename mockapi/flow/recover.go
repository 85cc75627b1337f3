package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

const (
	resolveTogether  = 16
	markTogether     = 200
	firstPassLimit   = 3 * time.Second // of the pass that serving waits for; the rest is resolved meanwhile
	shortestInterval = 250 * time.Millisecond
	longestInterval  = 4 * time.Second
	// doubtLasts is how long a database may take for a commit whose connection is gone.
	doubtLasts = 10 * time.Second
)

// recovery is the state of the resolving of operations whose owner is gone.
type recovery struct {
	wake      chan struct{}
	doubt     atomic.Int64       // until when a claim whose commit was cut off may yet be made, in nanoseconds
	resolving singleflight.Group // by record: two that resolve one would only take over from each other
}

// hurry asks the background for a pass soon.
func (r *recovery) hurry() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// doubted has the background look for a claim whose commit was cut off, again and again: it may be made later than it is looked for.
func (r *recovery) doubted() {
	r.doubt.Store(time.Now().Add(doubtLasts).UnixNano())
	r.hurry()
}

func (r *recovery) inDoubt() bool { return time.Now().UnixNano() < r.doubt.Load() }

// Recover finds the operations whose servers are gone, notes it, and resolves them by asking downstream. It returns when all are
// resolved or shortly after, and goes on in the background while some are not, and as more servers go. Call it once, before
// serving.
func (f *Flow) Recover(ctx context.Context) error {
	if err := f.beat(ctx); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	pass, cancel := context.WithTimeout(ctx, firstPassLimit)
	defer cancel()
	unresolved, err := f.pass(pass, func(Entry) bool { return true })
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("recover: %w", err)
	}
	if unresolved > 0 {
		f.Log.Warn("operations with an unknown outcome remain", "count", unresolved)
	}
	if unresolved > 0 || err != nil {
		f.recovery.hurry()
	}
	for _, task := range []func(context.Context){f.background, f.watch} {
		work, leave, err := f.enter(context.WithoutCancel(ctx))
		if err != nil {
			return fmt.Errorf("recover: %w", err)
		}
		go func() {
			defer leave()
			task(work)
		}()
	}
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
		inProgress := func(entry Entry) bool { return entry.State == reference.InProgress }
		if unresolved, err := f.pass(ctx, inProgress); unresolved > 0 || err != nil || f.recovery.inDoubt() {
			retry = time.After(interval)
			interval = min(2*interval, longestInterval)
		}
	}
}

// pass notes of those orphans that are to be marked that their owner is gone, then resolves all, and counts what it could not
// resolve.
func (f *Flow) pass(ctx context.Context, marked func(Entry) bool) (unresolved int, err error) {
	orphans, err := f.orphans(ctx)
	if err != nil {
		return 0, err
	}
	mark := slices.DeleteFunc(slices.Clone(orphans), func(entry Entry) bool { return !marked(entry) })
	for some := range slices.Chunk(mark, markTogether) {
		if err := f.mark(ctx, some); err != nil {
			return 0, err
		}
	}
	if len(mark) > 0 { // they read otherwise now
		if orphans, err = f.orphans(ctx); err != nil {
			return 0, err
		}
	}
	return f.resolveAll(ctx, orphans)
}

// orphans lists what is open and nobody is at work on.
func (f *Flow) orphans(ctx context.Context) ([]Entry, error) {
	open, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	var owners []string
	for _, entry := range open {
		if entry.State == reference.InProgress {
			owners = append(owners, entry.Owner)
		}
	}
	if _, err := f.lookRound(ctx, owners); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(open, f.atWork), nil
}

// othersLeft tells whether another server that is gone left something in progress.
func (f *Flow) othersLeft(ctx context.Context) (bool, error) {
	orphans, err := f.orphans(ctx)
	return slices.ContainsFunc(orphans, func(entry Entry) bool {
		return entry.State == reference.InProgress && serverOf(entry.Owner) != f.member.name
	}), err
}

// open lists what is in progress or unknown.
func (f *Flow) open(ctx context.Context) (entries []Entry, err error) {
	err = f.Store.View(ctx, func(r store.Reader) error {
		entries = nil
		claims, err := r.OpenClaims()
		if err != nil {
			return err
		}
		for _, claim := range claims {
			entry, err := decode(claim)
			if err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		return nil
	})
	return entries, err
}

// mark calls Orphan for those of the entries that nothing happened to meanwhile.
func (f *Flow) mark(ctx context.Context, entries []Entry) error {
	return f.Store.Update(ctx, func(tx store.Tx) error {
		for _, seen := range entries {
			entry, err := Load(tx, seen.ID())
			if errors.Is(err, store.ErrNotFound) || err == nil && (entry.Owner != seen.Owner || entry.Version != seen.Version || entry.State != seen.State) {
				continue
			}
			if err != nil {
				return err
			}
			if err := f.Orphan(tx, entry); err != nil {
				return err
			}
		}
		return nil
	})
}

// resolveAll resolves the orphans, and counts what it could not resolve.
func (f *Flow) resolveAll(ctx context.Context, orphans []Entry) (unresolved int, err error) {
	done := make([]bool, len(orphans))
	var all errgroup.Group
	all.SetLimit(resolveTogether)
	for i, orphan := range orphans {
		all.Go(func() (err error) {
			done[i], err = f.Resolve(ctx, orphan)
			if errors.Is(err, ErrReplaced) {
				return nil // somebody else is at it, and may come to no end
			}
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

// atWork tells whether an attempt is doing the entry's work, here or on a server that is not gone; one whose outcome is unknown
// has given up.
func (f *Flow) atWork(entry Entry) bool {
	switch {
	case entry.State != reference.InProgress:
		return false
	case serverOf(entry.Owner) == f.member.name:
		return f.live.has(entry.Owner)
	}
	return !f.member.hasLost(serverOf(entry.Owner))
}

// orphan lets the entry read as unknown until it is resolved.
func (f *Flow) orphan(tx store.Tx, entry Entry) error {
	now, err := f.Now(tx)
	if err != nil {
		return err
	}
	entry.Record, _ = reference.Step(f.Contract, entry.Record, reference.Crash{Owner: entry.Owner, Version: entry.Version}, now)
	return Save(tx, entry)
}

func (f *Flow) resolve(ctx context.Context, entry Entry) (bool, error) {
	id := entry.ID()
	for last := false; ; last = true {
		resolved, err, shared := f.recovery.resolving.Do(id.Scope+"\x00"+id.Key, func() (any, error) {
			return f.takeOver(ctx, id)
		})
		// What another one asked before this one came may be out of date.
		if resolved.(bool) || err != nil || !shared || last {
			return resolved.(bool), err
		}
	}
}

// takeOver becomes the owner of an entry, finds out what the last one did, and completes or releases the entry.
func (f *Flow) takeOver(ctx context.Context, id store.ID) (resolved bool, err error) {
	owner := f.member.newOwner()
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
		return false, ErrReplaced
	case errors.Is(err, ErrReplaced), err == nil && entry.State.Final():
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
		return err == nil, err
	case NotBooked:
		_, err := f.Fail(ctx, entry, reference.Fail{})
		return err == nil, err
	}
	f.Log.Info("the outcome is still unknown", "operation", entry.Operation)
	return false, nil
}

var errBusy = errors.New("an attempt is at work on it")
