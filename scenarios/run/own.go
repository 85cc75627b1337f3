package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

const (
	// ownerFile is locked in an output folder by the program that writes there. The lock goes with the program, however that
	// ends; a file that is left without one says nothing.
	ownerFile = ".oncespec-lock"
	// ownerTries bounds how often a file that was removed in the same moment is made anew.
	ownerTries = 100
	// ownerAt is where the file tells the number of its owner: Windows locks the first byte against readers, too.
	ownerAt, ownerWidth = 1, 20
)

// InUse is the error where another program writes to an output folder.
type InUse struct {
	Dir string
	PID int // 0: not known
}

func (e *InUse) Error() string {
	who := "another oncespec"
	if e.PID != 0 {
		who += fmt.Sprintf(" (process %d)", e.PID)
	}
	return fmt.Sprintf("output folder %s is in use by %s, whose results would be mixed with these; choose another with --out, or wait until that has ended", e.Dir, who)
}

// Own makes an output folder and takes it for this program, until it is released or the program ends: two that write to one
// folder would leave a mixture. The error is InUse where another has it. A file system that knows no locks gives it to anybody.
func Own(dir string) (release func(), err error) {
	if dir == "" {
		return nil, errNoName
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("output folder %s cannot be made: %w; choose another with --out", dir, err)
	}
	path := filepath.Join(dir, ownerFile)
	for range ownerTries {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return nil, foreign(path)
		}
		lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY), flock.SetPermissions(0o644))
		taken, err := lock.TryLock()
		var unopened *fs.PathError
		switch {
		case errors.As(err, &unopened):
			return nil, fmt.Errorf("output folder %s cannot be written: %w; choose another with --out", dir, err)
		case err != nil:
			return func() {}, nil
		case !taken:
			return nil, &InUse{dir, ownerOf(path)}
		}
		if held, err := lock.Stat(); err == nil {
			if there, err := os.Lstat(path); err == nil && os.SameFile(held, there) && signed(path) {
				return func() { disown(lock) }, nil
			}
		}
		_ = lock.Unlock() // its last owner removed it meanwhile, or it was somebody else's and is now
	}
	return nil, fmt.Errorf("output folder %s: %s cannot be kept; choose another with --out", dir, ownerFile)
}

// signed writes who owns the folder. A file that a dead program of another user left cannot be written to, and is removed.
func signed(path string) bool {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return os.Remove(path) != nil // there is no better one to be had
	}
	defer f.Close()
	_, _ = f.WriteAt(fmt.Appendf(nil, "%-*d", ownerWidth, os.Getpid()), ownerAt) // where the volume is full, the run will say so
	return true
}

// ownerOf is the process that a file names; 0: it names none.
func ownerOf(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	text := make([]byte, ownerWidth)
	n, _ := f.ReadAt(text, ownerAt)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	return pid
}

// disown removes the file while nobody else can have it, or, where a file that is open stays, right after.
func disown(lock *flock.Flock) {
	err := os.Remove(lock.Path())
	_ = lock.Unlock()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(lock.Path())
	}
}

// ShardsEnded fails with InUse where a shard of an earlier run still writes to its folder inside an output folder: when the run
// that started it is killed, a shard takes a while to end.
func ShardsEnded(dir string) error {
	files, err := filepath.Glob(filepath.Join(globSafe(dir), "shard-*", ownerFile))
	if err != nil {
		return err
	}
	for _, f := range files {
		release, err := Own(filepath.Dir(f))
		if err != nil {
			return err
		}
		release()
	}
	return nil
}
