package journal

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Thing is something that may outlive the program.
type Thing struct {
	Kind string            `json:"kind"` // who ends it knows its kinds
	Name string            `json:"name"`
	More map[string]string `json:"more,omitempty"`
}

func (t Thing) String() string { return t.Kind + " " + t.Name }

// line is one line of a file. The first names the owner; every other begins or ends a thing.
type line struct {
	Owner *Owner `json:"owner,omitempty"`
	Begin int    `json:"begin,omitempty"`
	Thing *Thing `json:"thing,omitempty"`
	End   int    `json:"end,omitempty"`
}

const suffix = ".journal"

// own is the file of this program.
var own struct {
	mu   sync.Mutex
	file *os.File // nil: nothing is noted
	last int      // number of the last entry
	open map[int]Thing
	torn bool // the file ends in half a line: its volume was full
}

// Entry is a thing that was noted.
type Entry struct {
	number int
	once   sync.Once
}

// Begin notes a thing that is about to be started.
func Begin(t Thing) (*Entry, error) {
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.file == nil {
		f, err := create()
		if err != nil {
			return nil, fmt.Errorf("journal of what is started: %w", err)
		}
		own.file, own.open = f, map[int]Thing{}
	}
	own.last++
	if err := write(own.file, line{Begin: own.last, Thing: &t}); err != nil {
		return nil, fmt.Errorf("journal of what is started: %w", err)
	}
	own.open[own.last] = t
	return &Entry{number: own.last}, nil
}

// End notes that the thing is gone. It may be called more than once, and on nil.
func (e *Entry) End() {
	if e == nil {
		return
	}
	e.once.Do(func() {
		own.mu.Lock()
		defer own.mu.Unlock()
		delete(own.open, e.number)
		if len(own.open) > 0 {
			_ = write(own.file, line{End: e.number}) // if that is not to be, the next program finds nothing to end
			return
		}
		_ = own.file.Close()
		_ = os.Remove(own.file.Name())
		own.file, own.torn = nil, false
	})
}

// Open lists what this program has begun and not ended.
func Open() []Thing {
	own.mu.Lock()
	defer own.mu.Unlock()
	var list []Thing
	for n := 1; n <= own.last; n++ {
		if t, open := own.open[n]; open {
			list = append(list, t)
		}
	}
	return list
}

// create makes the file with its owner in it: there is never one without.
func create() (*os.File, error) {
	var failed error
	for _, dir := range folders() {
		f, err := createIn(dir)
		if err == nil {
			return f, nil
		}
		if err = fmt.Errorf("%s: %w", dir, err); failed != nil {
			err = fmt.Errorf("%w; %w", failed, err)
		}
		failed = err
	}
	return nil, failed
}

func createIn(dir string) (f *os.File, err error) {
	if err := secure(dir); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, fmt.Sprintf("%d-%s", os.Getpid(), strings.ToLower(rand.Text()[:8])))
	f, err = os.OpenFile(name+".new", os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	self := Self()
	if err = write(f, line{Owner: &self}); err == nil {
		err = os.Rename(name+".new", name+suffix)
	}
	f.Close()
	if err == nil {
		// Opened again, so that it knows its own name.
		if f, err = os.OpenFile(name+suffix, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			return f, nil
		}
	}
	os.Remove(name + ".new")
	os.Remove(name + suffix)
	return nil, err
}

// write adds a line. The caller holds the lock.
func write(f *os.File, l line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if own.torn {
		data = append([]byte{'\n'}, data...) // a line of its own
	}
	n, err := f.Write(data) // at once: a file is torn where its volume is full, or its program was killed, and nowhere else
	own.torn = err != nil && (n > 0 || own.torn)
	return err
}

// folders are where journals may stand, the one that is used first.
func folders() []string {
	var dirs []string
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		dirs = append(dirs, filepath.Join(state, "oncespec"))
	} else if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		dirs = append(dirs, filepath.Join(home, ".local", "state", "oncespec"))
	}
	return append(dirs, filepath.Join(os.TempDir(), fmt.Sprintf("oncespec-state-%d", os.Getuid())))
}

// secure makes a folder that nobody else writes to: what stands in it is acted upon.
func secure(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return trusted(dir)
}

func trusted(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ours(info) {
		return fmt.Errorf("%s is not a folder that only this user writes to", dir)
	}
	return nil
}
