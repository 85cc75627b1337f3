package store_test

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/mockapi/store"
)

// A claim and an effect are one change: where one fails, neither remains.
func ExampleStore() {
	ctx := context.Background()
	var s store.Store = &store.Memory{}
	defer s.Close()

	err := s.Update(ctx, func(tx store.Tx) error {
		if err := tx.InsertClaim(store.Claim{ID: store.ID{Scope: "acme", Key: "k1"}, Tenant: "acme"}); err != nil {
			return err
		}
		return tx.PutDocument(store.Document{Kind: "ticket", Tenant: "acme", ID: "t1", Body: []byte(`{}`)})
	})
	fmt.Println("first:", err)

	err = s.Update(ctx, func(tx store.Tx) error {
		if err := tx.PutDocument(store.Document{Kind: "ticket", Tenant: "acme", ID: "t2"}); err != nil {
			return err
		}
		return tx.InsertClaim(store.Claim{ID: store.ID{Scope: "acme", Key: "k1"}, Tenant: "acme"})
	})
	fmt.Println("second:", err)

	err = s.View(ctx, func(r store.Reader) error {
		tickets, err := r.Documents(store.Query{Kind: "ticket", Tenant: "acme"})
		fmt.Println("tickets:", len(tickets))
		return err
	})
	fmt.Println("view:", err)
	// Output:
	// first: <nil>
	// second: already exists
	// tickets: 1
	// view: <nil>
}
