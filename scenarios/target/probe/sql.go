package probe

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// maxRows bounds the rows of a query.
const maxRows = 50_000

// database is one data source, opened for reading. each gets the columns of a row as text, null as an empty one.
type database interface {
	query(ctx context.Context, query string, args []any, each func(row []string) error) error
	close() error
}

// rows counts the rows of a query; the first column is their id.
type rows struct {
	dialect template.Dialect
	dsn     *template.Template
	query   *template.Query
	// marked: the query is the same for all intents, so rows are matched by their columns.
	marked bool

	mu   sync.Mutex
	open map[string]database // by data source
}

func newSQL(op *config.Operation, c *config.SQLEffect) (*Probe, error) {
	r := &rows{dialect: template.Dialect(c.Driver), open: map[string]database{}}
	var err error
	if r.dsn, err = template.Parse(c.DSN); err != nil {
		return nil, fmt.Errorf("sql.dsn: %w", err)
	}
	if r.query, err = template.ParseSQL(c.Query, r.dialect); err != nil {
		return nil, fmt.Errorf("sql.query: %w", err)
	}
	apart := tellsApart(op, r.query.Placeholders())
	r.marked = op.Isolate == config.Marker && !apart
	return &Probe{Name: "sql", Kind: Resource, Shared: op.Isolate != config.Marker && !apart, reader: r}, nil
}

func (r *rows) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var problems []error
	for _, db := range r.open {
		problems = append(problems, db.close())
	}
	clear(r.open)
	return errors.Join(problems...)
}

func (r *rows) read(ctx context.Context, _ Source, s Subject) (Reading, error) {
	query, args, err := r.query.Bind(s.Vars)
	if err != nil {
		return Reading{}, err
	}
	db, err := r.database(s.Vars)
	if err != nil {
		return Reading{}, err
	}
	var out Reading
	n := 0
	err = db.query(ctx, query, args, func(row []string) error {
		if n++; n > maxRows {
			return fmt.Errorf("expected at most %d rows, found more", maxRows)
		}
		if len(row) == 0 {
			return errors.New("expected a column, the id of the effect")
		}
		if r.marked && !holds(leaves(row), s.Markers) {
			return nil
		}
		out.Count++
		out.IDs = append(out.IDs, row[0])
		return nil
	})
	if err != nil {
		return Reading{}, fmt.Errorf("query %s: %w", head(query, 200), err)
	}
	return out, nil
}

func leaves(row []string) []any {
	out := make([]any, len(row))
	for i, text := range row {
		out[i] = text
	}
	return out
}

// database opens each data source once.
func (r *rows) database(v template.Vars) (database, error) {
	dsn, err := r.dsn.Expand(v)
	if err != nil {
		return nil, fmt.Errorf("dsn: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if db := r.open[dsn]; db != nil {
		return db, nil
	}
	var db database = &postgres{dsn: dsn}
	if r.dialect == template.SQLite {
		if db, err = openSQLite(dsn); err != nil {
			return nil, err
		}
	}
	r.open[dsn] = db
	return db, nil
}
