package probe

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// closeLimit bounds the farewell to a database.
const closeLimit = 2 * time.Second

// postgres keeps one connection; readers take turns.
type postgres struct {
	dsn string

	turn sync.Mutex
	conn *pgx.Conn // nil: not yet, or broken
}

func (p *postgres) close() error {
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	err := p.conn.Close(ctx)
	p.conn = nil
	return err
}

func (p *postgres) query(ctx context.Context, query string, args []any, each func([]string) error) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.conn == nil || p.conn.IsClosed() {
		conn, err := pgx.Connect(ctx, p.dsn)
		if err != nil {
			return err
		}
		p.conn = conn
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// The transaction is read-only: PostgreSQL refuses what would write.
	return pgx.BeginTxFunc(ctx, p.conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// Everything is asked for as text, so that ids are spelled as the database spells them.
		found, err := tx.Query(ctx, query, append([]any{pgx.QueryResultFormats{pgx.TextFormatCode}}, args...)...)
		if err != nil {
			return err
		}
		defer found.Close()
		for found.Next() {
			values := found.RawValues()
			row := make([]string, len(values))
			for i, v := range values {
				row[i] = string(v)
			}
			if err := each(row); err != nil {
				stop() // or closing would read the rest, which may have no end; the connection is lost with it
				return err
			}
		}
		return found.Err()
	})
}
