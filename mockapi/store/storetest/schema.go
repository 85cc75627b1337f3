package storetest

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/store"
)

// Database returns the URL of a database that tests may write to.
func Database(t testing.TB) string {
	t.Helper()
	database := os.Getenv("ONCESPEC_POSTGRES")
	if database == "" {
		if slices.Contains(strings.Split(os.Getenv("ONCESPEC_REQUIRE"), ","), "postgres") {
			t.Fatal("ONCESPEC_REQUIRE asks for postgres, but ONCESPEC_POSTGRES names no database")
		}
		t.Skip("ONCESPEC_POSTGRES names no database (as postgres://role:password@host/database)")
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
