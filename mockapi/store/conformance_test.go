package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/store"
)

func closeStore(t *testing.T, s store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func update(t *testing.T, s store.Store, change func(store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), change); err != nil {
		t.Fatal(err)
	}
}

func view(t *testing.T, s store.Store, read func(store.Reader) error) {
	t.Helper()
	if err := s.View(t.Context(), read); err != nil {
		t.Fatal(err)
	}
}

func claim(scope, key string, open bool) store.Claim {
	return store.Claim{ID: store.ID{Scope: scope, Key: key}, Tenant: "acme", Open: open, Data: []byte(scope + key)}
}

func document(kind, id, lookup string) store.Document {
	return store.Document{Kind: kind, Tenant: "acme", ID: id, Lookup: lookup, Body: []byte(`{"id":"` + id + `"}`)}
}

func TestClaimsAreFoundByIDKeyAndOpenness(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		update(t, s, func(tx store.Tx) error {
			other := claim("globex tickets", "k1", true)
			other.Tenant = "globex"
			return errors.Join(tx.PutClaim(claim("b", "k1", true)), tx.PutClaim(claim("a", "k1", false)),
				tx.PutClaim(claim("a", "k2", true)), tx.PutClaim(other))
		})
		update(t, s, func(tx store.Tx) error { // a replacement counts, a deletion too
			return errors.Join(tx.PutClaim(claim("b", "k1", false)), tx.PutClaim(claim("a", "k3", true)),
				tx.DeleteClaim(store.ID{Scope: "a", Key: "k3"}), tx.DeleteClaim(store.ID{Scope: "a", Key: "never"}))
		})
		view(t, s, func(r store.Reader) error {
			got, err := r.Claim(store.ID{Scope: "a", Key: "k2"})
			if err != nil || !got.Open || got.Tenant != "acme" || string(got.Data) != "ak2" {
				t.Errorf("claim a/k2: got %+v, %v", got, err)
			}
			if _, err := r.Claim(store.ID{Scope: "a", Key: "K2"}); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("claim of a key in another case: got %v, want ErrNotFound", err)
			}
			byKey, err := r.ClaimsByKey("acme", "k1")
			if got := scopes(byKey); err != nil || !slices.Equal(got, []string{"a/k1", "b/k1"}) {
				t.Errorf("claims of acme by key k1: got %v, %v", got, err)
			}
			open, err := r.OpenClaims()
			if got := scopes(open); err != nil || !slices.Equal(got, []string{"a/k2", "globex tickets/k1"}) {
				t.Errorf("open claims: got %v, %v", got, err)
			}
			return nil
		})
	})
}

func scopes(claims []store.Claim) (names []string) {
	for _, c := range claims {
		names = append(names, c.Scope+"/"+c.Key)
	}
	return names
}

func TestInsertedClaimIsTaken(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		update(t, s, func(tx store.Tx) error { return tx.InsertClaim(claim("a", "k", true)) })
		err := s.Update(t.Context(), func(tx store.Tx) error { return tx.InsertClaim(claim("a", "k", false)) })
		if !errors.Is(err, store.ErrExists) {
			t.Errorf("second insert: got %v, want ErrExists", err)
		}
		update(t, s, func(tx store.Tx) error { return tx.InsertClaim(claim("b", "k", true)) })
	})
}

func TestDocumentsComeInOrderOfInsertion(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		update(t, s, func(tx store.Tx) error {
			foreign := document("ticket", "t9", "x")
			foreign.Tenant = "globex"
			return errors.Join(tx.PutDocument(document("ticket", "t3", "x")), tx.PutDocument(document("ticket", "t1", "y")),
				tx.PutDocument(document("payment", "p1", "x")), tx.PutDocument(foreign), tx.PutDocument(document("ticket", "t2", "x")))
		})
		changed := document("ticket", "t3", "x")
		changed.Body = []byte(`{"changed":true}`)
		update(t, s, func(tx store.Tx) error { return tx.PutDocument(changed) })
		view(t, s, func(r store.Reader) error {
			got, err := r.Document("ticket", "acme", "t3")
			if err != nil || string(got.Body) != `{"changed":true}` {
				t.Errorf("replaced document: got %s, %v", got.Body, err)
			}
			if _, err := r.Document("ticket", "acme", "t9"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("another tenant's document: got %v, want ErrNotFound", err)
			}
			all := list(t, r, store.Query{Kind: "ticket", Tenant: "acme"}, "t3", "t1", "t2")
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme", Lookup: "x"}, "t3", "t2")
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme", Limit: 2}, "t3", "t1")
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme", After: all[0].Seq}, "t1", "t2")
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme", Lookup: "x", After: all[0].Seq, Limit: 5}, "t2")
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme", Lookup: "none"})
			return nil
		})
		update(t, s, func(tx store.Tx) error { return tx.PutDocument(document("ticket", "t1", "x")) })
		view(t, s, func(r store.Reader) error {
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme", Lookup: "x"}, "t3", "t1", "t2")
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme", Lookup: "y"})
			return nil
		})
	})
}

func list(t *testing.T, r store.Reader, query store.Query, want ...string) []store.Document {
	t.Helper()
	found, err := r.Documents(query)
	if err != nil {
		t.Errorf("%+v: %v", query, err)
	}
	var got []string
	for _, d := range found {
		got = append(got, d.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v: got %v, want %v", query, got, want)
	}
	return found
}

func TestTransactionReadsItsOwnWrites(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		update(t, s, func(tx store.Tx) error {
			if err := errors.Join(tx.PutClaim(claim("a", "k", true)), tx.PutDocument(document("ticket", "t1", "x"))); err != nil {
				return err
			}
			if _, err := tx.Claim(store.ID{Scope: "a", Key: "k"}); err != nil {
				t.Errorf("own claim: %v", err)
			}
			list(t, tx, store.Query{Kind: "ticket", Tenant: "acme"}, "t1")
			return nil
		})
	})
}

func TestNothingOfAnAbortedTransactionRemains(t *testing.T) {
	change := func(tx store.Tx) error {
		return errors.Join(tx.PutClaim(claim("a", "before", false)), tx.PutClaim(claim("a", "k", true)),
			tx.DeleteClaim(store.ID{Scope: "a", Key: "gone"}), tx.PutDocument(document("ticket", "t1", "changed")),
			tx.PutDocument(document("ticket", "t2", "x")), tx.PutDocument(document("ticket", "t2", "y")))
	}
	wrong := errors.New("something went wrong")
	for ending, run := range map[string]func(s store.Store) error{
		"error": func(s store.Store) error {
			return s.Update(context.Background(), func(tx store.Tx) error { return errors.Join(change(tx), wrong) })
		},
		"panic": func(s store.Store) (err error) {
			defer func() { err = fmt.Errorf("%v", recover()) }()
			return s.Update(context.Background(), func(tx store.Tx) error { panic(change(tx)) })
		},
		"context ended": func(s store.Store) error {
			ctx, cancel := context.WithCancel(context.Background())
			return s.Update(ctx, func(tx store.Tx) error { defer cancel(); return change(tx) })
		},
	} {
		t.Run(ending, func(t *testing.T) {
			onEveryStore(t, func(t *testing.T, s store.Store) {
				update(t, s, func(tx store.Tx) error {
					return errors.Join(tx.PutClaim(claim("a", "before", true)), tx.PutClaim(claim("a", "gone", true)),
						tx.PutDocument(document("ticket", "t1", "x")))
				})
				if err := run(s); err == nil {
					t.Error("the transaction reported success")
				}
				view(t, s, func(r store.Reader) error {
					open, err := r.OpenClaims()
					if got := scopes(open); err != nil || !slices.Equal(got, []string{"a/before", "a/gone"}) {
						t.Errorf("open claims: got %v, %v", got, err)
					}
					list(t, r, store.Query{Kind: "ticket", Tenant: "acme", Lookup: "x"}, "t1")
					list(t, r, store.Query{Kind: "ticket", Tenant: "acme"}, "t1")
					return nil
				})
				update(t, s, func(tx store.Tx) error { return tx.PutDocument(document("ticket", "t3", "x")) })
				view(t, s, func(r store.Reader) error {
					list(t, r, store.Query{Kind: "ticket", Tenant: "acme"}, "t1", "t3")
					return nil
				})
			})
		})
	}
}

func TestWhatIsReadIsACopy(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		body := []byte("before")
		update(t, s, func(tx store.Tx) error {
			kept := document("ticket", "t1", "x")
			kept.Body = body
			return tx.PutDocument(kept)
		})
		copy(body, "edited")
		for range 2 {
			view(t, s, func(r store.Reader) error {
				got, err := r.Document("ticket", "acme", "t1")
				if err != nil || string(got.Body) != "before" {
					t.Errorf("got %q, %v", got.Body, err)
				}
				copy(got.Body, "edited")
				return nil
			})
		}
	})
}

func TestEndedContextStopsATransaction(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s store.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		unreachable := errors.New("ran")
		if err := s.Update(ctx, func(store.Tx) error { return unreachable }); err == nil {
			t.Error("an update under an ended context reported success")
		}
		if err := s.View(ctx, func(store.Reader) error { return unreachable }); !errors.Is(err, context.Canceled) {
			t.Errorf("a view under an ended context: %v", err)
		}
	})
}

// What the caller calls a thing is any text: no store may fold, cut or refuse it.
func TestAnyTextIsAnID(t *testing.T) {
	texts := []string{"", " ", "a", "A", "a ", "\x00", "a\x00", "\xff\xfe", "é", "e\u0301", "'; --", strings.Repeat("k", 100_000), strings.Repeat("k", 100_001)}
	onEveryStore(t, func(t *testing.T, s store.Store) {
		for i, text := range texts {
			update(t, s, func(tx store.Tx) error {
				d := document("ticket", "i"+text, text)
				d.Body = fmt.Append(nil, i)
				return errors.Join(tx.InsertClaim(claim(text, "k", true)), tx.InsertClaim(claim("s", text, false)), tx.PutDocument(d))
			})
		}
		view(t, s, func(r store.Reader) error {
			for i, text := range texts {
				for _, id := range []store.ID{{Scope: text, Key: "k"}, {Scope: "s", Key: text}} {
					if got, err := r.Claim(id); err != nil || got.ID != id {
						t.Errorf("claim %.20q: got %.20q, %v", id, got.ID, err)
					}
				}
				if got, err := r.Document("ticket", "acme", "i"+text); err != nil || string(got.Body) != fmt.Sprint(i) || got.Lookup != text {
					t.Errorf("document %.20q: got %s %.20q, %v", text, got.Body, got.Lookup, err)
				}
				if text != "" {
					list(t, r, store.Query{Kind: "ticket", Tenant: "acme", Lookup: text}, "i"+text)
				}
			}
			open, err := r.OpenClaims()
			if err != nil || len(open) != len(texts) || !slices.IsSortedFunc(open, func(a, b store.Claim) int { return strings.Compare(a.Scope, b.Scope) }) {
				t.Errorf("%d open claims, want %d in the order of their scopes' bytes; %v", len(open), len(texts), err)
			}
			return nil
		})
	})
}
