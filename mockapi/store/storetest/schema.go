package storetest

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/needtest"
	"github.com/oncespec/oncespec/mockapi/store"
)

// Database returns the URL of a database that tests may write to.
func Database(t testing.TB) string {
	t.Helper()
	database := os.Getenv("ONCESPEC_POSTGRES")
	if database == "" {
		needtest.Have(t, "postgres", errors.New("ONCESPEC_POSTGRES names no database (as postgres://role:password@host/database)"))
	}
	return database
}

// Schema returns the location of an empty store in a schema that is dropped when the test ends.
func Schema(t testing.TB) (location string) {
	t.Helper()
	location, drop, err := store.NewSchema(t.Context(), Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // whatever still holds a lock there ends by then
		defer cancel()
		if err := drop(ctx); err != nil {
			t.Error(err)
		}
	})
	return location
}
