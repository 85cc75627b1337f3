package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	sqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite is a Store in one file. A commit survives the death of the process at any instant (WAL, synchronous NORMAL).
// Several processes may share the file: writers queue for up to busyTimeout.
type SQLite struct {
	writer, readers  *sql.DB
	writing, reading statements
	path             string
}

const (
	busyTimeout = 10_000 // milliseconds; far above any transaction of the mock, far below a client's patience with a hang
	readerCount = 4
	schema      = 2 // user_version of the tables below
)

const tables = `
CREATE TABLE IF NOT EXISTS claims (
	scope  TEXT NOT NULL,
	key    TEXT NOT NULL,
	tenant TEXT NOT NULL,
	open   INTEGER NOT NULL,
	data   BLOB NOT NULL,
	settled INTEGER NOT NULL, -- microseconds since 1970, or 0
	UNIQUE (scope, key)
);
CREATE INDEX IF NOT EXISTS claims_by_key ON claims (tenant, key);
CREATE INDEX IF NOT EXISTS claims_open ON claims (scope, key) WHERE open = 1;
CREATE INDEX IF NOT EXISTS claims_settled ON claims (settled) WHERE settled > 0;
CREATE TABLE IF NOT EXISTS outbox (
	key  TEXT PRIMARY KEY NOT NULL,
	body BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
	seq    INTEGER PRIMARY KEY,
	kind   TEXT NOT NULL,
	tenant TEXT NOT NULL,
	id     TEXT NOT NULL,
	lookup TEXT NOT NULL,
	body   BLOB NOT NULL,
	UNIQUE (kind, tenant, id)
);
CREATE INDEX IF NOT EXISTS documents_in_order ON documents (kind, tenant, seq);
CREATE INDEX IF NOT EXISTS documents_by_lookup ON documents (kind, tenant, lookup, seq);
`

// OpenSQLite opens the store in the file at path and creates what is missing; the folder must exist.
func OpenSQLite(ctx context.Context, path string) (_ *SQLite, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("SQLite store %s: %w", path, err)
	}
	s := &SQLite{path: path}
	defer func() {
		if err != nil {
			err = fmt.Errorf("SQLite store %s: %w", path, errors.Join(err, s.Close()))
		}
	}()
	// One connection writes, so that transactions queue in this process instead of meeting at the file's lock.
	if s.writer, err = sql.Open("sqlite", dataSource(path, "journal_mode(WAL)", "synchronous(NORMAL)")); err != nil {
		return nil, err
	}
	s.writer.SetMaxOpenConns(1)
	if err = migrate(ctx, s.writer); err != nil {
		return nil, err
	}
	if s.readers, err = sql.Open("sqlite", dataSource(path, "query_only(1)")); err != nil {
		return nil, err
	}
	s.readers.SetMaxOpenConns(readerCount)
	s.readers.SetMaxIdleConns(readerCount)
	if err = s.writing.prepare(ctx, s.writer); err != nil {
		return nil, err
	}
	if err = s.reading.prepare(ctx, s.readers); err != nil {
		return nil, err
	}
	return s, nil
}

func dataSource(path string, pragmas ...string) string {
	settings := url.Values{"_txlock": {"immediate"}}
	settings.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busyTimeout))
	for _, pragma := range pragmas {
		settings.Add("_pragma", pragma)
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}).String()
}

func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it has nothing to do
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version != 0 && version != schema {
		return fmt.Errorf("holds tables of version %d, expected %d: start with a new file", version, schema)
	}
	if _, err := tx.ExecContext(ctx, tables); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schema)); err != nil {
		return err
	}
	return tx.Commit()
}

// View implements Store.
func (s *SQLite) View(ctx context.Context, read func(Reader) error) error {
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("SQLite store: begin reading: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // reading leaves nothing to commit
	return read(sqliteTx{ctx, tx, &s.reading})
}

// Update implements Store.
func (s *SQLite) Update(ctx context.Context, change func(Tx) error) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("SQLite store: begin writing: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it has nothing to do
	if err := change(sqliteTx{ctx, tx, &s.writing}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("SQLite store: commit: %w", err)
	}
	return nil
}

// Close implements Store.
func (s *SQLite) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.readers, s.writer} { // the last to close tidies the log away
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

func isTaken(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}
