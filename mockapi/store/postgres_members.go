package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
)

// isLocked is true of the rows of members whose advisory lock is held.
const isLocked = `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND classid::bigint = class AND objid::bigint = object)`

// postgresHolding is an advisory lock of a session: the database gives it up when the session ends, and a session ends with its
// process, or when the link to it is cut.
type postgresHolding struct {
	store         *Postgres
	name          string
	class, object int32 // of the lock; not negative, as pg_locks shows them

	mu      sync.Mutex // a session does one thing at a time
	session *pgx.Conn
}

// Hold implements Store.
func (p *Postgres) Hold(ctx context.Context, name string) (Holding, error) {
	within, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	session, err := pgx.ConnectConfig(within, p.pool.Config().ConnConfig)
	if err != nil {
		return nil, failed(ctx, "hold "+name, err)
	}
	sum := sha256.Sum256([]byte("oncespec member " + name))
	h := &postgresHolding{store: p, name: name, session: session,
		class: int32(binary.BigEndian.Uint32(sum[:4]) >> 1), object: int32(binary.BigEndian.Uint32(sum[4:8]) >> 1)}
	var taken bool
	err = session.QueryRow(within, "SELECT pg_try_advisory_lock($1, $2)", h.class, h.object).Scan(&taken)
	if err == nil && !taken {
		err = ErrExists
	}
	if err == nil {
		err = h.Beat(ctx)
	}
	if err == nil { // and tidy up after those who ended without a word
		_, err = session.Exec(within, "DELETE FROM oncespec_members WHERE NOT "+isLocked)
	}
	if err != nil {
		return nil, errors.Join(failed(ctx, "hold "+name, err), h.end(ctx))
	}
	return h, nil
}

// Beat is one statement, which a process that is stopped in the middle of it does not leave half done.
func (h *postgresHolding) Beat(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	within, cancel := context.WithTimeout(ctx, h.store.patience)
	defer cancel()
	_, err := h.session.Exec(within, "INSERT INTO oncespec_members (name, beat, class, object) VALUES ($1, 1, $2, $3) "+
		"ON CONFLICT (name) DO UPDATE SET beat = oncespec_members.beat + 1", h.name, h.class, h.object)
	return failed(ctx, "sign of life", err)
}

func (h *postgresHolding) Release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx := context.Background()
	grace, cancel := context.WithTimeout(ctx, rollbackGrace)
	defer cancel()
	_, err := h.session.Exec(grace, "SELECT pg_advisory_unlock($1, $2)", h.class, h.object) // the end of the session takes a moment
	return errors.Join(failed(ctx, "release "+h.name, err), h.end(ctx))
}

func (h *postgresHolding) end(ctx context.Context) error {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackGrace)
	defer cancel()
	return h.session.Close(grace)
}

// Members implements Store.
func (p *Postgres) Members(ctx context.Context) ([]Member, error) {
	within, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	rows, err := p.pool.Query(within, "SELECT name, beat FROM oncespec_members WHERE "+isLocked+" ORDER BY name")
	if err != nil {
		return nil, failed(ctx, "look for members", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Member])
	return found, failed(ctx, "look for members", err)
}
