package store_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

func TestOpeningSaysWhatToChange(t *testing.T) {
	t.Parallel()
	database := storetest.Database(t)
	but := func(change func(u *url.URL)) string {
		u, err := url.Parse(database)
		if err != nil {
			t.Fatal(err)
		}
		change(u)
		return u.String()
	}
	foreign, other := storetest.Schema(t), storetest.Schema(t)
	run(t, foreign, "CREATE TABLE oncespec_claims (id int)")
	run(t, other, "CREATE TABLE oncespec_store (version int); INSERT INTO oncespec_store VALUES (99)")
	for name, c := range map[string]struct {
		location string
		says     []string
	}{
		"server down":      {but(func(u *url.URL) { u.Host = "127.0.0.1:1" }), []string{"127.0.0.1:1/", "nobody answers there", "refused"}},
		"no such host":     {but(func(u *url.URL) { u.Host = "database.invalid" }), []string{"database.invalid:5432/", "nobody answers there"}},
		"no such database": {but(func(u *url.URL) { u.Path = "/nowhere" }), []string{`no database "nowhere"`, "CREATE DATABASE"}},
		"no such role":     {but(func(u *url.URL) { u.User = url.UserPassword("nobody", "secret") }), []string{`role "nobody"`, "password"}},
		"wrong password":   {but(func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "secret") }), []string{"does not let role", "PGPASSWORD"}},
		"no such schema":   {but(func(u *url.URL) { u.RawQuery = "search_path=nowhere" }), []string{`"nowhere"`, "CREATE SCHEMA"}},
		"no rights":        {but(func(u *url.URL) { u.RawQuery = "search_path=pg_catalog" }), []string{"may not do what is needed", "pg_catalog", "grant it", "?search_path=NAME"}},
		"foreign tables":   {foreign, []string{"oncespec_claims", "was not made by this program", "?search_path=NAME"}},
		"another version":  {other, []string{"version 99, expected 2", "?search_path=NAME"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), c.location)
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			if errors.Is(err, store.ErrLocation) {
				t.Errorf("a database's answer is taken for a bad location: %v", err)
			}
			says(t, err, c.says...)
		})
	}
}

func TestBadLocations(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"mysql://root:secret@127.0.0.1/mock", "postgres://role:secret@127.0.0.1:port/mock", "postgres://127.0.0.1/mock?sslmode=secret-one"} {
		_, err := store.Open(t.Context(), location)
		if !errors.Is(err, store.ErrLocation) {
			t.Errorf("%s: got %v, want ErrLocation", location, err)
			continue
		}
		if strings.Contains(err.Error(), ":secret") {
			t.Errorf("%s: the error tells the password: %v", location, err)
		}
	}
	if _, _, err := store.NewSchema(t.Context(), "mock.db"); !errors.Is(err, store.ErrLocation) {
		t.Errorf("a schema in a file: got %v, want ErrLocation", err)
	}
}

// Replicas start together, and only one of them can create the tables.
func TestReplicasMayOpenAtOnce(t *testing.T) {
	t.Parallel()
	at := storetest.Schema(t)
	together([2]store.Store{}, 4, func(store.Store, int) {
		s, err := store.Open(t.Context(), at)
		if err != nil {
			t.Error(err)
			return
		}
		closeStore(t, s)
	})
}

func says(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is missing in: %v", word, err)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells the password: %v", err)
	}
}

func run(t *testing.T, location, statements string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}
