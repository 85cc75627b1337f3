package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const lockSuffix = ".lock"

// sqliteHolding is a locked file beside the database: the operating system gives the lock up when the process ends. When it was
// last touched is the beat. The database itself has no part in this, since a process that is stopped in the middle of a
// transaction keeps all others from writing.
type sqliteHolding struct {
	file string
	lock *flock.Flock
}

// Hold implements Store.
func (s *SQLite) Hold(_ context.Context, name string) (Holding, error) {
	h := &sqliteHolding{file: s.path + "-" + name + lockSuffix}
	h.lock = flock.New(h.file)
	switch taken, err := h.lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("SQLite store: hold %s: %w", name, err)
	case !taken:
		return nil, fmt.Errorf("SQLite store: hold %s: %w", name, ErrExists)
	}
	return h, nil
}

func (h *sqliteHolding) Beat(context.Context) error {
	now := time.Now()
	if err := os.Chtimes(h.file, now, now); err != nil {
		return fmt.Errorf("SQLite store: sign of life: %w", err)
	}
	return nil
}

func (h *sqliteHolding) Release() error {
	err := os.Remove(h.file) // before it is unlocked, so that nobody finds it without its lock
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, h.lock.Unlock())
}

// Members implements Store. The files of those who ended without a word are removed.
func (s *SQLite) Members(context.Context) (found []Member, err error) {
	folder, base := filepath.Split(s.path)
	files, err := os.ReadDir(folder) // in order of name
	if err != nil {
		return nil, fmt.Errorf("SQLite store: look for members: %w", err)
	}
	for _, file := range files {
		rest, before := strings.CutPrefix(file.Name(), base+"-")
		name, after := strings.CutSuffix(rest, lockSuffix)
		if !before || !after {
			continue
		}
		held, err := isHeld(filepath.Join(folder, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("SQLite store: look for %s: %w", name, err)
		}
		touched, err := file.Info()
		if !held || errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("SQLite store: look for %s: %w", name, err)
		}
		found = append(found, Member{Name: name, Beat: touched.ModTime().UnixNano()})
	}
	return found, nil
}

func isHeld(file string) (bool, error) {
	lock := flock.New(file, flock.SetFlag(os.O_RDWR)) // does not create what was removed meanwhile
	switch free, err := lock.TryRLock(); {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !free:
		return true, nil
	}
	if err := errors.Join(os.Remove(file), lock.Unlock()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	return false, nil
}
