package probe_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oncespec/oncespec/mockapi/store/storetest"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

const schema = `create table tickets (id integer primary key, title text, n numeric);
insert into tickets values (1, '` + mine + `', 10.50), (2, '` + other + `', 10.50), (3, '` + mine + `', null)`

func database(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "with space & more")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{"pragma journal_mode=wal", schema} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func inDir(dir string) probe.Subject {
	s := subject
	s.Vars.Dir = dir
	return s
}

// queries are the same for both databases.
var queries = []struct {
	name    string
	isolate string
	query   string
	ids     string
	err     string
}{
	{"by a marker in the query", config.Marker, "select id from tickets where title = {body:/title} order by id", "1 3", ""},
	{"by a marker in a column", config.Marker, "select id, title from tickets order by id", "1 3", ""},
	{"all", config.Exclusive, "select id from tickets order by id", "1 2 3", ""},
	{"none", config.Exclusive, "select id from tickets where title = 'nobody''s'", "", ""},
	{"a null for an id", config.Marker, "select null, title from tickets where id = 1", "", ""},
	{"a number as a parameter", config.Parent, "select id from tickets where n = {setup.n:/n} order by id", "1 2", ""},
	{"a mistake", config.Exclusive, "select id from tockets", "", "tockets"},
	{"a write", config.Exclusive, "with x as (select 1) insert into tickets values (9, 'x', 1) returning id", "", "query with x as"},
	{"rows without end", config.Exclusive, "with recursive r(n) as (select 1 union all select n + 1 from r) select n from r", "", "expected at most 50000 rows, found more"},
}

func TestRowsOfSQLite(t *testing.T) {
	t.Parallel()
	dir := database(t)
	for _, c := range queries {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := inDir(dir)
			s.Vars.Setup = map[string][]byte{"n": []byte(`{"n":10.5}`)}
			rows(t, c.isolate, config.SQLEffect{Driver: "sqlite", DSN: "{dir}/db", Query: c.query}, s, c.ids, c.err)
		})
	}
}

// TestRowsOfPostgreSQL needs a database that may be written to: ONCESPEC_POSTGRES is its URL.
func TestRowsOfPostgreSQL(t *testing.T) {
	dsn := storetest.Database(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, text := range append([]string{"drop table if exists tickets"}, strings.Split(schema, ";\n")...) {
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range queries {
		t.Run(c.name, func(t *testing.T) {
			s := subject
			s.Vars.Setup = map[string][]byte{"n": []byte(`{"n":10.5}`)}
			s.Vars.Env = map[string]string{"DB": dsn}
			rows(t, c.isolate, config.SQLEffect{Driver: "postgres", DSN: "${DB}", Query: c.query}, s, c.ids, c.err)
		})
	}
}

func rows(t *testing.T, isolate string, e config.SQLEffect, s probe.Subject, ids, wantErr string) {
	t.Helper()
	p := only(t, config.Operation{Isolate: isolate}, config.Effect{SQL: &e})
	r, err := tryRead(t, p, probe.Source{}, s)
	if (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
		t.Fatalf("error %v, want %q", err, wantErr)
	}
	if got := strings.TrimSpace(strings.Join(r.IDs, " ")); got != ids || r.Count != len(r.IDs) {
		t.Errorf("%d rows %q, want %q", r.Count, got, ids)
	}
}

func TestALogThatAKilledTargetLeftIsReadBackIn(t *testing.T) {
	t.Parallel()
	dir, copied := database(t), t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "insert into tickets values (4, ?, 1)", mine); err != nil {
		t.Fatal(err)
	}
	// What lies on the disk while the target is at work is what a kill leaves.
	for _, name := range []string{"db", "db-wal"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := only(t, config.Operation{}, config.Effect{SQL: &config.SQLEffect{Driver: "sqlite", DSN: "file:{dir}/db?_pragma=cache_size(10)", Query: "select id, title from tickets order by id"}})
	if r := read(t, p, probe.Source{}, inDir(copied)); !slices.Equal(r.IDs, []string{"1", "3", "4"}) {
		t.Errorf("found %v, want 1, 3 and 4", r.IDs)
	}
}

func TestADatabaseThatIsNotThereIsNotMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := only(t, config.Operation{}, config.Effect{SQL: &config.SQLEffect{Driver: "sqlite", DSN: "{dir}/db", Query: "select 1"}})
	if _, err := tryRead(t, p, probe.Source{}, inDir(dir)); err == nil || !strings.Contains(err.Error(), "expected a database file at "+dir+"/db, found none") {
		t.Errorf("%v, want an error that names the file", err)
	}
	if found, _ := os.ReadDir(dir); len(found) != 0 {
		t.Errorf("%v was made", found)
	}
}

func TestAPostgreSQLThatIsDown(t *testing.T) {
	t.Parallel()
	p := only(t, config.Operation{}, config.Effect{SQL: &config.SQLEffect{Driver: "postgres", DSN: "postgres://u:secret@127.0.0.1:1/db", Query: "select 1"}})
	_, err := tryRead(t, p, probe.Source{}, probe.Subject{Vars: template.Vars{}})
	if err == nil || !strings.Contains(err.Error(), "connect") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, want an error that names no password", err)
	}
}
