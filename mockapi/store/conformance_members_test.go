package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/store"
)

func settledAt(key string, at time.Time) store.Claim {
	c := claim("a", key, false)
	c.Settled = at
	return c
}

func TestSettledClaimsComeOldestFirst(t *testing.T) {
	at := time.Date(2025, 3, 1, 12, 0, 0, 5000, time.UTC)
	onEveryStore(t, func(t *testing.T, s store.Store) {
		update(t, s, func(tx store.Tx) error {
			return errors.Join(tx.PutClaim(settledAt("late", at.Add(time.Hour))), tx.PutClaim(settledAt("second", at.Add(time.Microsecond))),
				tx.PutClaim(claim("a", "open", true)), tx.PutClaim(settledAt("first", at)), tx.PutClaim(settledAt("gone", at)),
				tx.PutClaim(settledAt("remembered", at)), tx.PutClaim(settledAt("reopened", at)))
		})
		update(t, s, func(tx store.Tx) error {
			return errors.Join(tx.DeleteClaim(store.ID{Scope: "a", Key: "gone"}), tx.PutClaim(claim("a", "reopened", true)),
				tx.PutClaim(claim("a", "remembered", false)))
		})
		view(t, s, func(r store.Reader) error {
			for by, want := range map[time.Time][]string{
				at.Add(-time.Microsecond): nil,
				at:                        {"a/first"},
				at.Add(time.Minute):       {"a/first", "a/second"},
				at.Add(24 * time.Hour):    {"a/first", "a/second"}, // at most two were asked for
			} {
				found, err := r.SettledClaims(by, 2)
				if got := scopes(found); err != nil || !slices.Equal(got, want) {
					t.Errorf("settled by %s: got %v, %v, want %v", by, got, err, want)
				}
			}
			found, err := r.SettledClaims(at, 9)
			if err != nil || len(found) != 1 || !found[0].Settled.Equal(at) || string(found[0].Data) != "afirst" {
				t.Errorf("got %+v, %v", found, err)
			}
			if open, err := r.Claim(store.ID{Scope: "a", Key: "open"}); err != nil || !open.Settled.IsZero() {
				t.Errorf("open claim: settled %s, %v", open.Settled, err)
			}
			return nil
		})
	})
}

func TestOutboxAndMembers(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		update(t, s, func(tx store.Tx) error {
			return errors.Join(tx.PutOutgoing(store.Outgoing{Key: "k1", Body: []byte("one")}), tx.PutOutgoing(store.Outgoing{Key: "k2"}),
				tx.PutMember(store.Member{Name: "b", Beat: 1}), tx.PutMember(store.Member{Name: "a", Beat: 1}), tx.PutMember(store.Member{Name: "c"}))
		})
		update(t, s, func(tx store.Tx) error {
			return errors.Join(tx.PutOutgoing(store.Outgoing{Key: "k1", Body: []byte("two")}), tx.DeleteOutgoing("k2"), tx.DeleteOutgoing("never"),
				tx.PutMember(store.Member{Name: "b", Beat: 2}), tx.DeleteMember("c"), tx.DeleteMember("never"))
		})
		refused := errors.New("refused")
		if err := s.Update(t.Context(), func(tx store.Tx) error {
			return errors.Join(refused, tx.DeleteOutgoing("k1"), tx.PutOutgoing(store.Outgoing{Key: "k3"}), tx.DeleteMember("a"),
				tx.PutMember(store.Member{Name: "b", Beat: 3}), tx.PutMember(store.Member{Name: "d"}))
		}); !errors.Is(err, refused) {
			t.Error(err)
		}
		view(t, s, func(r store.Reader) error {
			if got, err := r.Outgoing("k1"); err != nil || string(got.Body) != "two" || got.Key != "k1" {
				t.Errorf("outbox k1: %q, %v", got.Body, err)
			}
			for _, key := range []string{"k2", "k3", "never"} {
				if _, err := r.Outgoing(key); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("outbox %s: %v, want ErrNotFound", key, err)
				}
			}
			members, err := r.Members()
			if want := []store.Member{{Name: "a", Beat: 1}, {Name: "b", Beat: 2}}; err != nil || !slices.Equal(members, want) {
				t.Errorf("members %v, %v, want %v", members, err, want)
			}
			return nil
		})
	})
}

func held(t *testing.T, s store.Store, name string, want bool) {
	t.Helper()
	if got, err := s.Held(t.Context(), name); err != nil || got != want {
		t.Errorf("%s is held: %v, %v, want %v", name, got, err, want)
	}
}

func TestNameIsHeldUntilItIsReleased(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		held(t, pair[1], "one", false)
		release, err := pair[0].Hold(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // looking does not take it away
			held(t, pair[0], "one", true)
			held(t, pair[1], "one", true)
			held(t, pair[1], "two", false)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
		for range 2 {
			held(t, pair[1], "one", false)
			held(t, pair[0], "one", false)
		}
	})
}

// The context of Hold is for the taking, not for the holding.
func TestNameIsHeldBeyondItsContext(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		release, err := s.Hold(ctx, "one")
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		held(t, s, "one", true)
		if err := release(); err != nil {
			t.Error(err)
		}
	})
}

func TestNameOfAKilledProcessIsFreeAtOnce(t *testing.T) {
	onEveryDurable(t, func(t *testing.T, at string) {
		s := open(t, at)
		defer closeStore(t, s)
		child := start(t, "hold", at)
		child.says(t, "held")
		held(t, s, "child", true)
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()                                                         // killed: its exit code says so
		for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) { // a database sees the end of a session by itself
			still, err := s.Held(t.Context(), "child")
			if err != nil || time.Now().After(end) {
				t.Fatalf("held by the dead: %v, %v", still, err)
			}
			if !still {
				break
			}
		}
		if left, err := filepath.Glob(at + "-*.lock"); err != nil || len(left) > 0 {
			t.Errorf("files left behind: %v, %v", left, err)
		}
	})
}
