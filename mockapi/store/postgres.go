package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Postgres is a Store in a schema of a PostgreSQL database (11 or newer). Any number of processes may share it.
//
// Transactions are SERIALIZABLE and run again where the database refuses one (40001, 40P01). Row locks and the unique
// constraint alone would do for one claim, but they do not lock what is absent or a list: two that both look, find nothing
// and write would both go on. SERIALIZABLE keeps the promise of Update for whatever is read, with nothing to forget in a
// query; a unique index on claims stands behind it all the same. The price is work done again under contention, which
// Update's callers are told to expect.
type Postgres struct {
	pool     *pgxpool.Pool
	patience time.Duration
}

const (
	// postgresPatience bounds every step that waits for the database, and the time in which a transaction is tried again. It
	// is far above any step of the mock, far below a client's patience with a hang.
	postgresPatience = 10 * time.Second

	// idleInTransaction is when the database gives up on a process that stopped in mid-transaction (SIGSTOP, a dead link): what
	// it locked is free again before those who wait for it lose patience.
	idleInTransaction = "5s"

	// postgresConnections is small since several processes share the database's few (100 by default) and each is mostly
	// waiting for its commit. pool_max_conns in the URL overrules it.
	postgresConnections = 8

	postgresBackoff = 20 * time.Millisecond // the longest pause before a refused transaction runs again
	rollbackGrace   = time.Second           // for a rollback; a connection that takes longer is thrown away
)

// OpenPostgres opens the store in the first schema of the search path that the database at the URL gives its role, and
// creates what is missing; database and schema must exist. Its tables are called oncespec_*.
func OpenPostgres(ctx context.Context, url string) (_ *Postgres, err error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLocation, err) // pgx hides the password
	}
	at := config.ConnConfig
	if !strings.Contains(url, "pool_max_conns=") {
		config.MaxConns = postgresConnections
	}
	at.ConnectTimeout = min(at.ConnectTimeout, postgresPatience)
	for name, value := range map[string]string{"application_name": "oncespec mock", "idle_in_transaction_session_timeout": idleInTransaction} {
		if at.RuntimeParams[name] == "" {
			at.RuntimeParams[name] = value
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, inWords(at, err)
	}
	s := &Postgres{pool: pool, patience: postgresPatience}
	if err := s.migrate(ctx); err != nil {
		pool.Close()
		return nil, inWords(at, err)
	}
	return s, nil
}

// View implements Store. A snapshot is all that it needs, and a snapshot is never refused.
func (p *Postgres) View(ctx context.Context, read func(Reader) error) error {
	return p.attempt(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx Tx) error { return read(tx) })
}

// Update implements Store.
func (p *Postgres) Update(ctx context.Context, change func(Tx) error) error {
	return p.update(ctx, pgx.Serializable, change)
}

func (p *Postgres) update(ctx context.Context, isolation pgx.TxIsoLevel, change func(Tx) error) error {
	end := time.Now().Add(p.patience)
	for attempt := 1; ; attempt++ {
		err := p.attempt(ctx, pgx.TxOptions{IsoLevel: isolation}, change)
		if !isRefused(err) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("PostgreSQL store: %w: other transactions got in the way %d times: %w", ErrUnavailable, attempt, err)
		}
		// Those who collided once would collide again if they came back together.
		select {
		case <-time.After(rand.N(min(time.Millisecond<<min(attempt, 10), postgresBackoff))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// attempt runs change in one transaction. An error that isRefused asks for another attempt, whatever change made of it.
func (p *Postgres) attempt(ctx context.Context, options pgx.TxOptions, change func(Tx) error) error {
	conn, tx, err := p.begin(ctx, options)
	if err != nil {
		return err
	}
	defer conn.Release() // closes it where it is still in a transaction
	defer func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackGrace)
		defer cancel()
		_ = tx.Rollback(grace) // after a commit it has nothing to do
	}()
	t := &postgresTx{store: p, ctx: ctx, tx: tx}
	switch err := change(t); {
	case t.broken != nil && (err == nil || isRefused(t.broken)):
		return t.broken
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	// A commit is not broken off once it was asked for: nobody would know whether it was made.
	ctx = context.WithoutCancel(ctx)
	within, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	return failed(ctx, "commit", tx.Commit(within))
}

// begin takes a connection and begins a transaction on it. Where the connection turns out to be dead its idle siblings are
// dropped, for they were probably cut together, and a new one is made: nothing has been done yet.
func (p *Postgres) begin(ctx context.Context, options pgx.TxOptions) (*pgxpool.Conn, pgx.Tx, error) {
	for again := true; ; again = false {
		within, cancel := context.WithTimeout(ctx, p.patience)
		conn, err := p.pool.Acquire(within)
		if err != nil {
			cancel()
			return nil, nil, failed(ctx, "connect", err)
		}
		tx, err := conn.BeginTx(within, options)
		timedOut := within.Err() != nil
		cancel()
		if err == nil {
			return conn, tx, nil
		}
		conn.Release()
		if !again || timedOut || !isUnavailable(err) {
			return nil, nil, failed(ctx, "begin", err)
		}
		p.pool.Reset()
	}
}

// failed says which step failed. An end of the caller's context is the caller's affair, not the database's.
func failed(ctx context.Context, step string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("PostgreSQL store: %s: %w", step, ctx.Err())
	case isUnavailable(err):
		return fmt.Errorf("PostgreSQL store: %s: %w: %w", step, ErrUnavailable, err)
	}
	return fmt.Errorf("PostgreSQL store: %s: %w", step, err)
}

// Close implements Store. It waits for the running transactions.
func (p *Postgres) Close() error {
	p.pool.Close()
	return nil
}
