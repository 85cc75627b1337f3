package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/mockapi/store"
)

// onEveryPair runs a test with two stores that were opened on one database, and with one where only one can be.
func onEveryPair(t *testing.T, test func(t *testing.T, pair [2]store.Store)) {
	t.Helper()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			at := kind.fresh(t)
			one := open(t, at)
			defer closeStore(t, one)
			pair := [2]store.Store{one, one}
			if kind.durable {
				pair[1] = open(t, at)
				defer closeStore(t, pair[1])
			}
			test(t, pair)
		})
	}
}

// together calls do for each of n callers at once, half of them with either store.
func together(pair [2]store.Store, n int, do func(s store.Store, caller int)) {
	start := make(chan struct{})
	var all sync.WaitGroup
	for caller := range n {
		all.Go(func() {
			<-start
			do(pair[caller%2], caller)
		})
	}
	close(start)
	all.Wait()
}

func TestOneOfFiftyConcurrentClaimsWins(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		const callers = 50
		won := make(chan int, callers)
		together(pair, callers, func(s store.Store, caller int) {
			switch err := race(t.Context(), s, "k", caller); {
			case err == nil:
				won <- caller
			case !errors.Is(err, store.ErrExists):
				t.Errorf("caller %d: %v", caller, err)
			}
		})
		if len(won) != 1 {
			t.Fatalf("%d of %d concurrent claims won, want 1", len(won), callers)
		}
		view(t, pair[0], func(r store.Reader) error {
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme"}, fmt.Sprint("t", <-won))
			return nil
		})
	})
}

// race claims a key and makes an effect; ErrExists for a loser.
func race(ctx context.Context, s store.Store, key string, caller int) error {
	return s.Update(ctx, func(tx store.Tx) error {
		if _, err := tx.Claim(store.ID{Scope: "a", Key: key}); !errors.Is(err, store.ErrNotFound) {
			return errors.Join(err, store.ErrExists)
		}
		if err := tx.InsertClaim(claim("a", key, true)); err != nil {
			return err
		}
		return tx.PutDocument(document("ticket", fmt.Sprint("t", caller), key))
	})
}

// Without a look beforehand the insertion alone decides.
func TestOneOfFiftyBlindInsertionsWins(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		const callers = 50
		won := make(chan int, callers)
		together(pair, callers, func(s store.Store, caller int) {
			switch err := s.Update(t.Context(), func(tx store.Tx) error { return tx.InsertClaim(claim("a", "k", true)) }); {
			case err == nil:
				won <- caller
			case !errors.Is(err, store.ErrExists):
				t.Errorf("caller %d: %v", caller, err)
			}
		})
		if len(won) != 1 {
			t.Errorf("%d of %d concurrent insertions won, want 1", len(won), callers)
		}
	})
}

// What one looks for is isolated whatever way it is found, and absence too: the first to write an answer to a list's emptiness
// is the only one.
func TestOnlyOneFindsAListEmpty(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		together(pair, 20, func(s store.Store, caller int) {
			if err := s.Update(t.Context(), func(tx store.Tx) error {
				found, err := tx.Documents(store.Query{Kind: "ticket", Tenant: "acme", Lookup: "x"})
				if err != nil || len(found) > 0 {
					return err
				}
				return tx.PutDocument(document("ticket", fmt.Sprint("t", caller), "x"))
			}); err != nil {
				t.Errorf("caller %d: %v", caller, err)
			}
		})
		view(t, pair[0], func(r store.Reader) error {
			if found, err := r.Documents(store.Query{Kind: "ticket", Tenant: "acme"}); len(found) != 1 {
				t.Errorf("%d found the list empty, want 1 (%v)", len(found), err)
			}
			return nil
		})
	})
}

func TestConcurrentChangesAreNotLost(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		const callers = 20
		together(pair, callers, func(s store.Store, _ int) { // the first of them inserts it
			if err := s.Update(t.Context(), func(tx store.Tx) error {
				counter, err := tx.Document("counter", "acme", "c")
				if errors.Is(err, store.ErrNotFound) {
					counter, err = store.Document{Kind: "counter", Tenant: "acme", ID: "c"}, nil
				}
				counter.Body = append(counter.Body, '+')
				return errors.Join(err, tx.PutDocument(counter))
			}); err != nil {
				t.Error(err)
			}
		})
		view(t, pair[0], func(r store.Reader) error {
			counter, err := r.Document("counter", "acme", "c")
			if err != nil || len(counter.Body) != callers {
				t.Errorf("%d changes counted, want %d (%v)", len(counter.Body), callers, err)
			}
			return nil
		})
	})
}

func TestTwoOpenersTakeTurns(t *testing.T) {
	onEveryPair(t, func(t *testing.T, pair [2]store.Store) {
		together(pair, 20, func(s store.Store, caller int) {
			if err := s.Update(t.Context(), func(tx store.Tx) error {
				if _, err := tx.OpenClaims(); err != nil {
					return err
				}
				return tx.PutDocument(document("ticket", fmt.Sprint("t", caller), "x"))
			}); err != nil {
				t.Error(err)
			}
		})
		view(t, pair[0], func(r store.Reader) error {
			if found, err := r.Documents(store.Query{Kind: "ticket", Tenant: "acme"}); len(found) != 20 {
				t.Errorf("%d of 20 documents, %v", len(found), err)
			}
			return nil
		})
	})
}

func TestViewDoesNotSeeWhatIsNotCommitted(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		seen := make(chan int)
		update(t, s, func(tx store.Tx) error {
			if err := tx.PutDocument(document("ticket", "t1", "x")); err != nil {
				return err
			}
			go func() { // either waits for the commit, or reads the picture before it
				_ = s.View(context.Background(), func(r store.Reader) error {
					found, _ := r.Documents(store.Query{Kind: "ticket", Tenant: "acme"})
					seen <- len(found)
					return nil
				})
				close(seen)
			}()
			if _, memory := s.(*store.Memory); !memory {
				if n := <-seen; n != 0 {
					t.Errorf("a view saw %d uncommitted documents", n)
				}
			}
			return tx.PutDocument(document("ticket", "t2", "x"))
		})
		if n, waited := <-seen; waited && n != 2 {
			t.Errorf("a view that waited for the commit saw %d of its 2 documents", n)
		}
	})
}
