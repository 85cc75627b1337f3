package flow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/store"
)

// DefaultLease is how long a server that gives no sign of life keeps its claims.
const DefaultLease = 2 * time.Second

const (
	beatsPerLease = 4
	shortestBeat  = 25 * time.Millisecond
)

// member is this server among those that share the store: its name is part of the owner of each of its claims. It also keeps
// what is known of the others.
//
// Membership is a lease with a heartbeat. A server holds its name in the store while it lives, so that its death is seen at
// once. A server that is stopped (SIGSTOP, a stalled machine) keeps its name but sends no heartbeat; the others watch the beat
// by their own monotonic clocks, and may take over its claims once it has not changed for a lease. Neither the clocks of other
// machines nor the clock that Advance moves matter. A stopped server may wake at any time: the version of each record fences
// its late writes off.
type member struct {
	name string

	mu      sync.Mutex
	holding store.Holding
	others  map[string]*heartbeat
	looked  time.Time
}

// heartbeat is the last heartbeat seen of another server.
type heartbeat struct {
	beat  int64
	since time.Time // when the beat was first seen to be this
	gone  bool      // dead, or stopped for longer than its lease
	dead  bool
}

func newMember() *member { return &member{name: rand.Text(), others: map[string]*heartbeat{}} }

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

// sees tells whether another server was alive when it was last looked for.
func (m *member) sees(server string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := m.others[server]
	return seen != nil && !seen.gone
}

// beat sends a heartbeat.
func (f *Flow) beat(ctx context.Context) (err error) {
	m := f.member
	m.mu.Lock()
	holding := m.holding
	m.mu.Unlock()
	if holding != nil {
		if err = holding.Beat(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		f.Log.Warn("the store lost this server", "error", errors.Join(err, holding.Release()))
	}
	holding, err = f.Store.Hold(ctx, m.name)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holding = holding
	return err
}

// leave gives up the name, as the end of the process would.
func (f *Flow) leave() error {
	f.member.mu.Lock()
	defer f.member.mu.Unlock()
	if f.member.holding == nil {
		return nil
	}
	err := f.member.holding.Release()
	f.member.holding = nil
	return err
}

// lookRound looks at the other servers: the members, and those that the given owners belong to. It tells whether one is newly
// gone.
func (f *Flow) lookRound(ctx context.Context, owners []string) (lost bool, err error) {
	members, err := f.Store.Members(ctx)
	if err != nil {
		return false, err
	}
	servers := map[string]bool{}
	for _, owner := range owners {
		servers[serverOf(owner)] = true
	}
	return f.member.see(members, servers, time.Now(), f.Lease), nil
}

// see takes note of the members' beats, and of which of the servers are no members.
func (m *member) see(members []store.Member, servers map[string]bool, now time.Time, lease time.Duration) (lost bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	slept := now.Sub(m.looked) > lease // then nothing can be said of the others' sleep
	m.looked = now
	alive := map[string]bool{}
	for _, other := range members {
		if other.Name == m.name {
			continue
		}
		alive[other.Name] = true
		seen := m.others[other.Name]
		if seen == nil {
			seen = &heartbeat{}
			m.others[other.Name] = seen
		}
		if seen.beat != other.Beat || seen.since.IsZero() || slept {
			seen.beat, seen.since = other.Beat, now
		}
		before := seen.gone
		seen.gone, seen.dead = now.Sub(seen.since) > lease, false
		lost = lost || seen.gone && !before
	}
	for name := range servers {
		if name != m.name && m.others[name] == nil {
			m.others[name] = &heartbeat{}
		}
	}
	for name, seen := range m.others {
		switch {
		case alive[name]:
		case seen.dead && !servers[name]:
			delete(m.others, name) // nobody asks for it any more
		default:
			lost = lost || !seen.gone
			*seen = heartbeat{gone: true, dead: true}
		}
	}
	return lost
}

// watch sends heartbeats and looks for those of others until ctx ends.
func (f *Flow) watch(ctx context.Context) {
	ticks := time.NewTicker(max(f.Lease/beatsPerLease, shortestBeat))
	defer ticks.Stop()
	var looked, collected time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if err := f.beat(ctx); err != nil {
			f.Log.Debug("no sign of life", "error", err)
		}
		lost, err := f.lookRound(ctx, nil)
		if err != nil {
			f.Log.Debug("cannot look for other servers", "error", err)
		}
		if !lost && time.Since(looked) > longestInterval { // one that came and went in between was never seen
			looked = time.Now()
			if lost, err = f.othersLeft(ctx); err != nil {
				f.Log.Debug("cannot look for what other servers left", "error", err)
			}
		}
		if lost {
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
