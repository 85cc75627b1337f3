package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// UpdateReadCommitted is Update with the isolation that PostgreSQL gives by default: each statement sees what others committed
// before it, so that what was read may be something else by the time it is written. It is for those who want to see what comes of
// that.
func (p *Postgres) UpdateReadCommitted(ctx context.Context, change func(Tx) error) error {
	return p.update(ctx, pgx.ReadCommitted, change)
}

// Exec runs a statement of SQL in a transaction of Postgres and tells how many rows it concerned.
func (p *Postgres) Exec(tx Tx, statement string, args ...any) (rows int64, err error) {
	t, ok := tx.(*postgresTx)
	if !ok {
		return 0, errors.New("PostgreSQL store: not a transaction of its own")
	}
	return t.exec("statement", statement, args...)
}
