package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ErrLocation is a location that cannot be meant: no database was asked.
var ErrLocation = errors.New("bad location of a store")

// Open opens the store at a location, and creates what is missing in it:
//
//	""                              a new one in memory
//	postgres://role@host/database   PostgreSQL; ?search_path=SCHEMA names a schema other than the role's own
//	anything else                   the SQLite file of that name
//
// The error says what is wrong with the location and never tells a password.
func Open(ctx context.Context, location string) (Store, error) {
	switch scheme, _, isURL := strings.Cut(location, "://"); {
	case location == "":
		return &Memory{}, nil
	case !isURL:
		s, err := OpenSQLite(ctx, location)
		if err != nil {
			return nil, err // not a nil *SQLite in an interface
		}
		return s, nil
	case scheme == "postgres" || scheme == "postgresql":
		s, err := OpenPostgres(ctx, location)
		if err != nil {
			return nil, err
		}
		return s, nil
	default:
		return nil, fmt.Errorf("%w: no kind of database is called %q; expected postgres://role@host/database or the name of a SQLite file", ErrLocation, scheme)
	}
}

// in returns a database's URL with another search_path.
func in(database, schema string) (string, error) {
	u, err := url.Parse(database)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", fmt.Errorf("%w: expected postgres://role@host/database", ErrLocation) // err would tell the password
	}
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String(), nil
}
