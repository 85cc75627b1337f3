package store_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

// worksAgain checks that nothing of the claim k remains and that it can be made.
func worksAgain(t *testing.T, s store.Store) {
	t.Helper()
	if err := race(t.Context(), s, "k", 1); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	view(t, s, func(r store.Reader) error {
		list(t, r, store.Query{Kind: "ticket", Tenant: "acme"}, "t1")
		return nil
	})
}

func TestCutConnectionIsAnErrorAndNoMore(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(t *testing.T, database, application string, link *storetest.Link){
		"by the network": func(_ *testing.T, _, _ string, link *storetest.Link) { link.Cut(); link.Mend() },
		"by the database": func(t *testing.T, database, application string, _ *storetest.Link) {
			terminate(t, database, application)
		},
	} {
		for moment, when := range map[string]struct{ before, during, end bool }{
			"before the first statement": {before: true},
			"between statements":         {during: true},
			"before the commit":          {end: true},
		} {
			t.Run(name+" "+moment, func(t *testing.T) {
				t.Parallel()
				link := storetest.NewLink(t, storetest.Schema(t))
				location, application := named(t, link.Location)
				s := open(t, location)
				defer closeStore(t, s)
				at := func(here bool) {
					if here {
						cut(t, storetest.Database(t), application, link)
					}
				}
				again := false
				err := s.Update(t.Context(), func(tx store.Tx) error {
					if again {
						t.Error("a transaction that was cut off was run again")
					}
					again = true
					at(when.before)
					if err := tx.InsertClaim(claim("a", "k", true)); err != nil {
						return err
					}
					at(when.during)
					if err := tx.PutDocument(document("ticket", "t0", "x")); err != nil {
						return err
					}
					at(when.end)
					return nil
				})
				if !errors.Is(err, store.ErrUnavailable) {
					t.Errorf("got %v, want ErrUnavailable", err)
				}
				worksAgain(t, s)
			})
		}
	}
}

// Connections that died while nobody used them are nobody's trouble.
func TestIdleConnectionsMayBeCut(t *testing.T) {
	t.Parallel()
	location, application := named(t, storetest.Schema(t))
	s := open(t, location)
	defer closeStore(t, s)
	together([2]store.Store{s, s}, 8, func(s store.Store, _ int) { // several connections
		_ = s.View(context.Background(), func(r store.Reader) error { _, err := r.OpenClaims(); return err })
	})
	terminate(t, storetest.Database(t), application)
	worksAgain(t, s)
}

func TestDatabaseOutOfReach(t *testing.T) {
	t.Parallel()
	link := storetest.NewLink(t, storetest.Schema(t))
	s := open(t, link.Location)
	defer closeStore(t, s)
	link.Cut()
	for what, err := range map[string]error{
		"update": race(t.Context(), s, "k", 0),
		"view":   s.View(t.Context(), func(store.Reader) error { return nil }),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: got %v, want ErrUnavailable", what, err)
		}
	}
	link.Mend()
	worksAgain(t, s)
}

// A link over which nothing comes back any more does not hang the store.
func TestHeldLinkIsAnErrorInTime(t *testing.T) {
	t.Parallel()
	link := storetest.NewLink(t, storetest.Schema(t))
	s := open(t, link.Location)
	defer closeStore(t, s)
	store.SetPatience(s, 200*time.Millisecond)
	err := s.Update(t.Context(), func(tx store.Tx) error {
		link.Hold()
		return tx.InsertClaim(claim("a", "k", true))
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("held in mid-transaction: got %v, want ErrUnavailable", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	store.SetPatience(s, time.Minute)
	if err := race(ctx, s, "k", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller's own end: got %v, want context.Canceled", err)
	}
	link.Mend()
	worksAgain(t, s)
}

// Only looking tells what became of a commit whose answer is lost.
func TestCommitWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	link := storetest.NewLink(t, storetest.Schema(t))
	s := open(t, link.Location)
	defer closeStore(t, s)
	link.LoseAnswer("commit")
	if err := race(t.Context(), s, "k", 1); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	link.Mend()
	if err := race(t.Context(), s, "k", 2); !errors.Is(err, store.ErrExists) {
		t.Errorf("claim of what was committed: got %v, want ErrExists", err)
	}
}

// A process that was stopped in mid-transaction holds its key only until the database loses patience with it.
func TestStoppedProcessDoesNotHoldItsKeyForEver(t *testing.T) {
	t.Parallel()
	at := storetest.Schema(t)
	impatient, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	query := impatient.Query()
	query.Set("idle_in_transaction_session_timeout", "200ms")
	impatient.RawQuery = query.Encode()
	stopped, rival := open(t, impatient.String()), open(t, at)
	defer closeStore(t, stopped)
	defer closeStore(t, rival)
	err = stopped.Update(t.Context(), func(tx store.Tx) error {
		if err := tx.InsertClaim(claim("a", "k", true)); err != nil {
			return err
		}
		if err := race(t.Context(), rival, "k", 1); err != nil { // meanwhile this transaction does nothing
			t.Errorf("rival: %v", err)
		}
		return nil
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the stopped one: got %v, want ErrUnavailable", err)
	}
}

// named gives the connections of a location a name of their own.
func named(t *testing.T, location string) (withName, application string) {
	t.Helper()
	u, err := url.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	application = query.Get("search_path")
	query.Set("application_name", application)
	u.RawQuery = query.Encode()
	return u.String(), application
}

// terminate has the database end the connections of an application, and returns when they are gone.
func terminate(t *testing.T, database, application string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE application_name = $1", application)
	if err != nil {
		t.Fatal(err)
	}
	ended, err := pgx.CollectRows(rows, pgx.RowTo[bool])
	if err != nil || len(ended) == 0 || slices.Contains(ended, false) {
		t.Fatalf("ending the connections of %s: %v, %v", application, ended, err)
	}
}
