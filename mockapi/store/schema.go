package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// NewSchema creates an empty schema in a PostgreSQL database and returns the location of a store in it, so that tests and runs
// that share a database do not meet. The role needs the right to create schemas. Drop removes the schema with all that is in it;
// close its stores first.
func NewSchema(ctx context.Context, database string) (location string, drop func(context.Context) error, err error) {
	name := "oncespec_" + strings.ToLower(rand.Text())
	if location, err = in(database, name); err != nil {
		return "", nil, err
	}
	if err := once(ctx, database, "CREATE SCHEMA "+name); err != nil {
		return "", nil, err
	}
	return location, func(ctx context.Context) error { return once(ctx, database, "DROP SCHEMA IF EXISTS "+name+" CASCADE") }, nil
}

// once runs a statement on a connection of its own.
func once(ctx context.Context, database, statement string) error {
	at, err := pgx.ParseConfig(database)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLocation, err)
	}
	ctx, cancel := context.WithTimeout(ctx, postgresPatience)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, at)
	if err != nil {
		return inWords(at, err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // the statement's own result is what counts
	}()
	if _, err := conn.Exec(ctx, statement); err != nil {
		return inWords(at, err)
	}
	return nil
}
