package mockapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/store"
)

// dyingStore dies with the process after the first transaction that writes.
type dyingStore struct {
	store.Store
	wrote bool
}

func (d *dyingStore) Update(ctx context.Context, change func(store.Tx) error) error {
	if d.wrote {
		return context.Canceled
	}
	d.wrote = true
	return d.Store.Update(ctx, change)
}

// claimAndDie sends a request to a process that dies right after it claimed the key, and starts the API again.
func (b *bench) claimAndDie(method, path, key string) {
	b.t.Helper()
	b.server.Close()
	b.http.Close()
	options := b.options
	options.Store = &dyingStore{Store: b.reopen()}
	dying, err := mockapi.New(options)
	if err != nil {
		b.t.Fatal(err)
	}
	request := httptest.NewRequestWithContext(b.t.Context(), method, path, http.NoBody)
	request.Header.Set("Authorization", "Bearer acme-token")
	request.Header.Set(keyHeader, `"`+key+`"`)
	dying.ServeHTTP(httptest.NewRecorder(), request)
	dying.Close()
	b.start()
}

// diesAfterEffect dies with its process after the first transaction that changes something of a domain.
type diesAfterEffect struct {
	store.Store
	dead atomic.Bool
}

func (d *diesAfterEffect) Update(ctx context.Context, change func(store.Tx) error) error {
	if d.dead.Load() {
		return context.Canceled
	}
	effect := false
	err := d.Store.Update(ctx, func(tx store.Tx) error { return change(effectSeen{tx, &effect}) })
	if err == nil && effect {
		d.dead.Store(true)
	}
	return err
}

type effectSeen struct {
	store.Tx
	effect *bool
}

func (e effectSeen) PutDocument(d store.Document) error {
	*e.effect = true
	return e.Tx.PutDocument(d)
}
