package flow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// DefaultLease is how long a server that gives no sign of life keeps its claims.
const DefaultLease = 2 * time.Second

const (
	beatsPerLease = 4
	shortestBeat  = 25 * time.Millisecond
)

// member is this server among those on the store: a name that is part of the owner of each of its claims, and what it knows of
// the others.
//
// A server holds its name in the store while it lives, so that its death is seen at once; and it counts up a beat there, since
// one that was stopped holds its name but does nothing. Others watch the beat by their own monotonic clocks: where it stays the
// same for a lease its claims may be taken over. Neither clocks of other machines nor the clock that Advance moves matter.
// That a stopped server may go on at any time is what the version of each record is for.
type member struct {
	name string

	mu      sync.Mutex
	release func() error
	beat    int64
	others  map[string]*sighting
	looked  time.Time
}

// sighting is what was last seen of another server.
type sighting struct {
	beat  int64
	since time.Time // when the beat was first seen to be this
	gone  bool      // dead, or stopped for longer than its lease
	dead  bool
}

func newMember() *member { return &member{name: rand.Text(), others: map[string]*sighting{}} }

// newOwner names an attempt of this server.
func (m *member) newOwner() string { return m.name + "." + rand.Text() }

// serverOf is the name of the server that an attempt belongs to.
func serverOf(owner string) string {
	name, _, _ := strings.Cut(owner, ".")
	return name
}

// hasLost tells whether a server is known to be gone.
func (m *member) hasLost(server string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := m.others[server]
	return seen != nil && seen.gone
}

// Stopped tells whether the server of an entry's owner lives, but gave no sign of it for its lease.
func (f *Flow) Stopped(entry Entry) bool {
	f.member.mu.Lock()
	defer f.member.mu.Unlock()
	seen := f.member.others[serverOf(entry.Owner)]
	return seen != nil && seen.gone && !seen.dead
}

// alone tells whether no other server was seen.
func (m *member) alone() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.others) == 0
}

// attend gives a sign of life.
func (f *Flow) attend(ctx context.Context) error {
	m := f.member
	held, err := f.Store.Held(ctx, m.name)
	if err != nil {
		return err
	}
	if !held { // the first time, or the store lost it
		release, err := f.Store.Hold(ctx, m.name)
		if err != nil {
			return err
		}
		m.mu.Lock()
		last := m.release
		m.release = release
		m.mu.Unlock()
		if last != nil {
			_ = last() // it was lost
		}
	}
	m.mu.Lock()
	m.beat++
	beat := m.beat
	m.mu.Unlock()
	return f.Store.Update(ctx, func(tx store.Tx) error { return tx.PutMember(store.Member{Name: m.name, Beat: beat}) })
}

// leave gives up the name, as the end of the process would.
func (f *Flow) leave() error {
	f.member.mu.Lock()
	defer f.member.mu.Unlock()
	if f.member.release == nil {
		return nil
	}
	err := f.member.release()
	f.member.release = nil
	return err
}

// lookRound looks at the other servers: the members, those that the given owners belong to, and those it knows of. It tells whether one is newly gone.
func (f *Flow) lookRound(ctx context.Context, owners []string) (lost bool, err error) {
	var members []store.Member
	if err := f.Store.View(ctx, func(r store.Reader) (err error) {
		members, err = r.Members()
		return err
	}); err != nil {
		return false, err
	}
	beats := map[string]int64{}
	for _, owner := range owners {
		beats[serverOf(owner)] = 0
	}
	for _, m := range members {
		beats[m.Name] = m.Beat
	}
	delete(beats, f.member.name)
	f.member.mu.Lock()
	for name, seen := range f.member.others {
		if _, listed := beats[name]; !listed && seen.dead {
			delete(f.member.others, name)
		} else if !listed {
			beats[name] = 0
		}
	}
	f.member.mu.Unlock()
	held := map[string]bool{}
	for name := range beats {
		if held[name], err = f.Store.Held(ctx, name); err != nil {
			return false, err
		}
	}
	return f.member.see(beats, held, time.Now(), f.Lease), nil
}

// see takes note of the others' beats.
func (m *member) see(beats map[string]int64, held map[string]bool, now time.Time, lease time.Duration) (lost bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	slept := now.Sub(m.looked) > lease // then nothing can be said of the others' sleep
	m.looked = now
	for name, beat := range beats {
		seen := m.others[name]
		if seen == nil {
			seen = &sighting{beat: beat, since: now}
			m.others[name] = seen
		}
		if seen.beat != beat || slept {
			seen.beat, seen.since = beat, now
		}
		before := seen.gone
		seen.dead = !held[name]
		seen.gone = seen.dead || now.Sub(seen.since) > lease || before && slept
		lost = lost || seen.gone && !before
	}
	return lost
}

// forgetDead removes the rows of servers that are dead and have nothing open any more.
func (f *Flow) forgetDead(ctx context.Context, open []Entry) error {
	owning := map[string]bool{}
	for _, entry := range open {
		if entry.State == reference.InProgress {
			owning[serverOf(entry.Owner)] = true
		}
	}
	f.member.mu.Lock()
	var dead []string
	for name, seen := range f.member.others {
		if seen.dead && !owning[name] {
			dead = append(dead, name)
		}
	}
	f.member.mu.Unlock()
	if len(dead) == 0 {
		return nil
	}
	return f.Store.Update(ctx, func(tx store.Tx) error {
		var errs []error
		for _, name := range dead {
			errs = append(errs, tx.DeleteMember(name))
		}
		return errors.Join(errs...)
	})
}

// watch gives signs of life and looks for those of others until ctx ends.
func (f *Flow) watch(ctx context.Context) {
	ticks := time.NewTicker(max(f.Lease/beatsPerLease, shortestBeat))
	defer ticks.Stop()
	var passed, collected time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if err := f.attend(ctx); err != nil {
			f.Log.Debug("no sign of life", "error", err)
		}
		lost, err := f.lookRound(ctx, nil)
		if err != nil {
			f.Log.Debug("cannot look for other servers", "error", err)
		}
		// What another one left is found also where it never got to give a sign.
		if lost || !f.member.alone() && time.Since(passed) > longestInterval {
			passed = time.Now()
			f.recovery.hurry()
		}
		if time.Since(collected) > longestInterval {
			collected = time.Now()
			if _, err := f.Collect(ctx); err != nil && ctx.Err() == nil {
				f.Log.Warn("expired records stay", "error", fmt.Errorf("collect: %w", err))
			}
		}
	}
}
