package probe

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver sqlite
)

type sqlite struct{ db *sql.DB }

// openSQLite opens a file for reading only, but not with mode=ro: after a kill somebody has to read the write-ahead log back
// in, which a read-only connection cannot.
func openSQLite(dsn string) (database, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("expected a database file at %s, found none", path)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("dsn: %w", err)
	}
	values.Set("mode", "rw") // never creates one
	values["_pragma"] = append(values["_pragma"], "busy_timeout(2000)", "query_only(1)")
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: values.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	db.SetMaxOpenConns(4)
	db.SetConnMaxIdleTime(time.Minute)
	return sqlite{db}, nil
}

func (s sqlite) close() error { return s.db.Close() }

func (s sqlite) query(ctx context.Context, query string, args []any, each func([]string) error) error {
	found, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	names, err := found.Columns()
	if err != nil {
		return err
	}
	columns, into := make([]any, len(names)), make([]any, len(names))
	for i := range columns {
		into[i] = &columns[i]
	}
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return err
		}
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = columnText(c)
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return found.Err()
}

func columnText(c any) string {
	switch c := c.(type) {
	case nil:
		return ""
	case []byte:
		return string(c)
	case string:
		return c
	case int64:
		return strconv.FormatInt(c, 10)
	case time.Time:
		return c.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(c)
}
