package store_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/store"
)

func TestSQLiteRefusesTablesOfAnotherVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = store.OpenSQLite(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), "version 99, expected 2") || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want an error that names the file and both versions", err)
	}
}

func TestSQLiteNeedsAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "db")
	if _, err := store.OpenSQLite(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want an error that names %s", err, path)
	}
}
