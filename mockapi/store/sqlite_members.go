package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"
)

// Hold implements Store by a lock on a file beside the database: the operating system gives it up when the process ends.
func (s *SQLite) Hold(_ context.Context, name string) (release func() error, err error) {
	file := s.lockFile(name)
	lock := flock.New(file)
	switch taken, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("SQLite store: hold %s: %w", name, err)
	case !taken:
		return nil, fmt.Errorf("SQLite store: hold %s: %w", name, ErrExists)
	}
	return func() error {
		return errors.Join(os.Remove(file), lock.Unlock()) // in this order nobody finds the file without its lock
	}, nil
}

// Held implements Store. What nobody holds any more leaves its file behind; it is removed here.
func (s *SQLite) Held(_ context.Context, name string) (bool, error) {
	file := s.lockFile(name)
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	lock := flock.New(file, flock.SetFlag(os.O_RDWR)) // does not create what was removed meanwhile
	switch free, err := lock.TryRLock(); {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("SQLite store: look for %s: %w", name, err)
	case !free:
		return true, nil
	}
	if err := errors.Join(os.Remove(file), lock.Unlock()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("SQLite store: tidy up after %s: %w", name, err)
	}
	return false, nil
}

func (s *SQLite) lockFile(name string) string { return s.path + "-" + name + ".lock" }

func (t sqliteTx) Outgoing(key string) (Outgoing, error) {
	return first(selectRows(t, "outbox", t.outgoing, []any{key}, func(rows *sql.Rows, o *Outgoing) error { return rows.Scan(&o.Key, &o.Body) }))
}

func (t sqliteTx) PutOutgoing(message Outgoing) error {
	return t.exec("put into outbox", t.putOutgoing, message.Key, blob(message.Body))
}

func (t sqliteTx) DeleteOutgoing(key string) error {
	return t.exec("delete from outbox", t.deleteOutgoing, key)
}

func (t sqliteTx) Members() ([]Member, error) {
	return selectRows(t, "members", t.statements.members, nil, func(rows *sql.Rows, m *Member) error { return rows.Scan(&m.Name, &m.Beat) })
}

func (t sqliteTx) PutMember(member Member) error {
	return t.exec("put member", t.putMember, member.Name, member.Beat)
}

func (t sqliteTx) DeleteMember(name string) error {
	return t.exec("delete member", t.deleteMember, name)
}
