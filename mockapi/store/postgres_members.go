package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Hold implements Store by an advisory lock of a session: the database gives it up when the session ends, and a session ends with
// its process, or when the link to it is cut.
func (p *Postgres) Hold(ctx context.Context, name string) (release func() error, err error) {
	within, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	session, err := pgx.ConnectConfig(within, p.pool.Config().ConnConfig)
	if err != nil {
		return nil, failed(ctx, "hold "+name, err)
	}
	end := func() error {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackGrace)
		defer cancel()
		return session.Close(grace)
	}
	class, object := lockOf(name)
	var taken bool
	if err := session.QueryRow(within, "SELECT pg_try_advisory_lock($1, $2)", class, object).Scan(&taken); err != nil || !taken {
		_ = end() // the first error says more
		if err == nil {
			return nil, ErrExists
		}
		return nil, failed(ctx, "hold "+name, err)
	}
	return func() error {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackGrace)
		defer cancel()
		_, err := session.Exec(grace, "SELECT pg_advisory_unlock($1, $2)", class, object) // the end of the session takes a moment
		return errors.Join(failed(grace, "release "+name, err), end())
	}, nil
}

// Held implements Store.
func (p *Postgres) Held(ctx context.Context, name string) (held bool, err error) {
	within, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	class, object := lockOf(name)
	err = p.pool.QueryRow(within, "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 "+
		"AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid::bigint = $1 AND objid::bigint = $2)",
		int64(uint32(class)), int64(uint32(object))).Scan(&held)
	return held, failed(ctx, "look for "+name, err)
}

// lockOf makes the two numbers of an advisory lock of a name.
func lockOf(name string) (class, object int32) {
	sum := sha256.Sum256([]byte("oncespec member " + name))
	return int32(binary.BigEndian.Uint32(sum[:4])), int32(binary.BigEndian.Uint32(sum[4:8]))
}

func (t *postgresTx) Outgoing(key string) (Outgoing, error) {
	return first(rowsOf(t, "read outbox", "SELECT key, body FROM oncespec_outbox WHERE key = $1", []any{[]byte(key)}, func(row pgx.CollectableRow) (o Outgoing, err error) {
		var key []byte
		err = row.Scan(&key, &o.Body)
		o.Key = string(key)
		return o, err
	}))
}

func (t *postgresTx) PutOutgoing(message Outgoing) error {
	_, err := t.exec("put into outbox", "INSERT INTO oncespec_outbox (key, body) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET body = excluded.body",
		[]byte(message.Key), blob(message.Body))
	return err
}

func (t *postgresTx) DeleteOutgoing(key string) error {
	_, err := t.exec("delete from outbox", "DELETE FROM oncespec_outbox WHERE key = $1", []byte(key))
	return err
}

func (t *postgresTx) Members() ([]Member, error) {
	return rowsOf(t, "read members", "SELECT name, beat FROM oncespec_members ORDER BY name", nil, pgx.RowToStructByPos[Member])
}

func (t *postgresTx) PutMember(member Member) error {
	_, err := t.exec("put member", "INSERT INTO oncespec_members (name, beat) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET beat = excluded.beat", member.Name, member.Beat)
	return err
}

func (t *postgresTx) DeleteMember(name string) error {
	_, err := t.exec("delete member", "DELETE FROM oncespec_members WHERE name = $1", name)
	return err
}
