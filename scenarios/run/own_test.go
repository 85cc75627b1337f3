package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestAFolderHasOneOwner: the second is told who the first is and what to do; afterwards nothing is left, and it may have it.
func TestAFolderHasOneOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "report")
	for _, name := range []string{dir, dir + "/"} {
		release, err := Own(name)
		if err != nil {
			t.Fatal(err)
		}
		var used *InUse
		if _, err := Own(dir); !errors.As(err, &used) || used.PID != os.Getpid() || !strings.Contains(err.Error(), "--out") {
			t.Errorf("a second owner: %v", err)
		}
		other, err := Own(filepath.Join(dir, "shard-1"))
		if err != nil {
			t.Errorf("the folder of a shard is another one: %v", err)
		} else if other(); ShardsEnded(dir) != nil {
			t.Errorf("the shard has ended: %v", ShardsEnded(dir))
		}
		release()
		if _, err := os.Lstat(filepath.Join(dir, ownerFile)); err == nil {
			t.Error("the lock is still there")
		}
	}
	if _, err := Own(""); err == nil {
		t.Error("a folder without a name was taken")
	}
}

func TestShardsThatHaveNotEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	release, err := Own(filepath.Join(dir, "shard-2"))
	if err != nil {
		t.Fatal(err)
	}
	var used *InUse
	if err := ShardsEnded(dir); !errors.As(err, &used) || filepath.Base(used.Dir) != "shard-2" {
		t.Errorf("a shard still writes: %v", err)
	}
	release()
	if err := ShardsEnded(dir); err != nil {
		t.Error(err)
	}
}

// TestALockWithoutItsProgramSaysNothing: whatever is left in the file, and whoever wrote it.
func TestALockWithoutItsProgramSaysNothing(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]os.FileMode{"ours": 0o644, "read only": 0o444} {
		dir := t.TempDir()
		path := filepath.Join(dir, ownerFile)
		put(t, path, "\x00123456789012345678901234567890")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		release, err := Own(dir)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := ownerOf(path); got != os.Getpid() {
			t.Errorf("%s: owned by %d", name, got)
		}
		release()
	}
}

// TestNoLockThroughALink: nothing that is somebody else's is opened, written to or removed.
func TestNoLockThroughALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(t.TempDir(), "mine")
	put(t, mine, "mine")
	if err := os.Symlink(mine, filepath.Join(dir, ownerFile)); err != nil {
		t.Skip(err)
	}
	if _, err := Own(dir); err == nil || !strings.Contains(err.Error(), ownerFile) {
		t.Errorf("expected it to be refused: %v", err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("the file was touched: %q, %v", text, err)
	}
}

// TestOwnersOneAtATime: also where one takes the folder in the moment in which another lets it go.
func TestOwnersOneAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var now, had atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				release, err := Own(dir)
				var used *InUse
				switch {
				case err == nil:
					if now.Add(1) != 1 {
						t.Error("two have it")
					}
					had.Add(1)
					now.Add(-1)
					release()
				case !errors.As(err, &used):
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if had.Load() == 0 {
		t.Error("nobody ever had it")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
