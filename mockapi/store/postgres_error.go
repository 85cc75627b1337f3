package store

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var errNoSchema = errors.New("the search path names no schema that exists")

// state is the SQLSTATE of an error, "" where the database did not say anything.
func state(err error) string {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.Code
	}
	return ""
}

// isRefused tells whether the database undid a transaction for the sake of others that ran beside it (serialization failure,
// deadlock), so that it may well be made when it runs again.
func isRefused(err error) bool {
	code := state(err)
	return code == "40001" || code == "40P01"
}

// isUnavailable tells whether the database is at fault for an error, and not the statement. The error is one of this file's
// package or pgx's; the latter's are about the link where they do not hold the database's own words.
func isUnavailable(err error) bool {
	code := state(err)
	if code == "" {
		return true
	}
	const idleForTooLong = "25P03"                          // in a transaction; the connection was cut
	classes := []string{"08", "28", "3D", "53", "57", "58"} // connection, authorization, catalog, resources, operator, system
	return code == idleForTooLong || slices.Contains(classes, code[:2])
}

// inWords says of an error that met the opening of a store what to change.
func inWords(at *pgx.ConnConfig, err error) error {
	address := net.JoinHostPort(at.Host, strconv.Itoa(int(at.Port)))
	what, database, role := "", at.Database, at.User
	if database == "" {
		database = role // as the server reads it
	}
	var said *pgconn.PgError
	errors.As(err, &said)
	switch state(err) {
	case "":
		var link net.Error
		if errors.As(err, &link) { // pgx tells it twice, with encryption and without
			what = fmt.Sprintf("nobody answers there (%v); is the server running, and does it listen on that address?", link)
		}
	case "3D000":
		what = fmt.Sprintf("the server has no database %q: create it (CREATE DATABASE %[1]s OWNER %s), or name another one", database, role)
	case "28P01", "28000":
		what = fmt.Sprintf("the server does not let role %q in: %s; give the right password (in the URL, PGPASSWORD or .pgpass), or create the role", role, said.Message)
	case "42501":
		what = fmt.Sprintf("role %q may not do what is needed: %s; grant it USAGE and CREATE on the schema, or name a schema of its own with ?search_path=NAME", role, said.Message)
	case "42P07":
		what = fmt.Sprintf("%s, but was not made by this program: name another schema with ?search_path=NAME", said.Message)
	case "53300":
		what = fmt.Sprintf("all connections of the server are taken (%s): end other clients, or lower pool_max_conns in their URLs", said.Message)
	case "57P03":
		what = fmt.Sprintf("the server is not ready (%s): try again in a moment", said.Message)
	}
	if errors.Is(err, errNoSchema) {
		what = fmt.Sprintf("%v (it is %q): create it with CREATE SCHEMA", err, at.RuntimeParams["search_path"])
	}
	if what == "" {
		return fmt.Errorf("PostgreSQL store %s/%s: %w", address, database, err)
	}
	return &worded{fmt.Sprintf("PostgreSQL store %s/%s: %s", address, database, what), err}
}

// worded is an error told in other words.
type worded struct {
	words string
	err   error
}

func (w *worded) Error() string { return w.words }
func (w *worded) Unwrap() error { return w.err }
