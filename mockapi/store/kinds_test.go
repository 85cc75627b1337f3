package store_test

import (
	"path/filepath"
	"testing"

	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
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
	{name: "postgres", durable: true, fresh: storetest.Schema},
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
