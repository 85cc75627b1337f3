package store_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
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

func TestOutbox(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		update(t, s, func(tx store.Tx) error {
			return errors.Join(tx.PutOutgoing(store.Outgoing{Key: "k1", Body: []byte("one")}), tx.PutOutgoing(store.Outgoing{Key: "k2"}))
		})
		update(t, s, func(tx store.Tx) error {
			return errors.Join(tx.PutOutgoing(store.Outgoing{Key: "k1", Body: []byte("two")}), tx.DeleteOutgoing("k2"), tx.DeleteOutgoing("never"))
		})
		refused := errors.New("refused")
		if err := s.Update(t.Context(), func(tx store.Tx) error {
			return errors.Join(refused, tx.DeleteOutgoing("k1"), tx.PutOutgoing(store.Outgoing{Key: "k3"}))
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
			return nil
		})
	})
}

// members returns the beats of those who hold a name.
func members(t *testing.T, s store.Store) map[string]int64 {
	t.Helper()
	found, err := s.Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	beats := map[string]int64{}
	for _, m := range found {
		beats[m.Name] = m.Beat
	}
	if len(beats) != len(found) || !slices.IsSortedFunc(found, func(a, b store.Member) int { return cmp.Compare(a.Name, b.Name) }) {
		t.Errorf("members %v, want each once in order", found)
	}
	return beats
}

func held(t *testing.T, s store.Store, names ...string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(members(t, s))); !slices.Equal(got, names) {
		t.Errorf("%v are held, want %v", got, names)
	}
}

func hold(t *testing.T, s store.Store, name string) store.Holding {
	t.Helper()
	h, err := s.Hold(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestNameIsHeldUntilItIsReleased(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		held(t, pair[1])
		two, one := hold(t, pair[1], "two"), hold(t, pair[0], "one")
		for range 2 { // looking does not take it away
			held(t, pair[0], "one", "two")
			held(t, pair[1], "one", "two")
		}
		if err := two.Release(); err != nil {
			t.Error(err)
		}
		for range 2 {
			held(t, pair[0], "one")
			held(t, pair[1], "one")
		}
		if err := one.Release(); err != nil {
			t.Error(err)
		}
		held(t, pair[1])
	})
}

func TestEverySignOfLifeIsSeen(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		one, two := hold(t, pair[0], "one"), hold(t, pair[0], "two")
		last := members(t, pair[1])
		for range 5 {
			if err := one.Beat(t.Context()); err != nil {
				t.Fatal(err)
			}
			now := members(t, pair[1])
			if now["one"] == last["one"] || now["two"] != last["two"] {
				t.Errorf("beats %v, then %v, want another one of one and the same of two", last, now)
			}
			last = now
		}
		if err := errors.Join(one.Release(), two.Release()); err != nil {
			t.Error(err)
		}
	})
}

// Who is stopped in the middle of a transaction keeps nobody from giving signs of life or seeing them.
func TestSignsOfLifeWaitForNoTransaction(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		one := hold(t, pair[0], "one")
		update(t, pair[1], func(tx store.Tx) error {
			if err := tx.InsertClaim(claim("a", "k", true)); err != nil {
				return err
			}
			before := members(t, pair[0])
			err := one.Beat(t.Context())
			if members(t, pair[0])["one"] == before["one"] {
				t.Error("the sign of life is not seen")
			}
			return err
		})
		if err := one.Release(); err != nil {
			t.Error(err)
		}
	})
}

// The context of Hold is for the taking, not for the holding.
func TestNameIsHeldBeyondItsContext(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		one, err := s.Hold(ctx, "one")
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		held(t, s, "one")
		if err := one.Release(); err != nil {
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
		held(t, s, "child")
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()                                                                               // killed: its exit code says so
		for end := time.Now().Add(time.Minute); len(members(t, s)) > 0; time.Sleep(time.Millisecond) { // a database sees the end of a session by itself
			if time.Now().After(end) {
				t.Fatal("the name is held by the dead")
			}
		}
		if left, err := filepath.Glob(at + "-*.lock"); err != nil || len(left) > 0 {
			t.Errorf("files left behind: %v, %v", left, err)
		}
		next := hold(t, s, "next")
		held(t, s, "next")
		if err := next.Release(); err != nil {
			t.Error(err)
		}
	})
}
