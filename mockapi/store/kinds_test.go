package store_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/store"
)

// kind is one implementation; each has to pass every test of the conformance_*_test.go files.
type kind struct {
	name    string
	durable bool
	fresh   func(t testing.TB) (location string) // of an empty store; the test is skipped where there can be none
}

var kinds = []kind{
	{name: "memory", fresh: func(testing.TB) string { return "" }},
	{name: "sqlite", durable: true, fresh: func(t testing.TB) string { return filepath.Join(t.TempDir(), "a file, with 100% odd#name?.db") }},
	{name: "postgres", durable: true, fresh: freshSchema},
}

// freshSchema is a schema of the test's own in the database that ONCESPEC_POSTGRES names.
func freshSchema(t testing.TB) string {
	t.Helper()
	location, drop, err := store.NewSchema(t.Context(), postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := drop(ctx); err != nil {
			t.Error(err)
		}
	})
	return location
}

func postgres(t testing.TB) string {
	t.Helper()
	database := os.Getenv("ONCESPEC_POSTGRES")
	if database == "" {
		if slices.Contains(strings.Split(os.Getenv("ONCESPEC_REQUIRE"), ","), "postgres") {
			t.Fatal("ONCESPEC_REQUIRE asks for postgres, but ONCESPEC_POSTGRES names no database")
		}
		t.Skip("ONCESPEC_POSTGRES names no database")
	}
	return database
}

func onEveryStore(t *testing.T, test func(t *testing.T, s store.Store)) {
	t.Helper()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			s := open(t, kind.fresh(t))
			defer closeStore(t, s)
			test(t, s)
		})
	}
}

func onEveryDurable(t *testing.T, test func(t *testing.T, location string)) {
	t.Helper()
	for _, kind := range kinds {
		if kind.durable {
			t.Run(kind.name, func(t *testing.T) { test(t, kind.fresh(t)) })
		}
	}
}

func open(t testing.TB, location string) store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
