package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// newLimit is the age at which a journal file that was never completed is taken to be abandoned.
const newLimit = time.Hour

// Ender ends a thing of its kind that a dead program has left. That it is gone already is no error.
type Ender func(context.Context, Thing) error

// Sweep ends what programs that have ended left behind, each thing by the one who knows its kind, and tells what that was. What
// cannot be ended now, or is of a kind that nobody knows, stays noted for the next time. Several programs may sweep at once.
func Sweep(ctx context.Context, by map[string]Ender) (ended []Thing, err error) {
	var errs []error
	for _, dir := range folders() {
		if trusted(dir) != nil {
			continue // there is none, or anybody may have written it
		}
		forgetUnfinished(dir)
		files, _ := filepath.Glob(filepath.Join(globSafe(dir), "*"+suffix))
		for _, file := range files {
			left, gone, err := read(file)
			if err != nil || !gone {
				continue // somebody else ended it a moment ago, or it is none of ours
			}
			done, err := end(ctx, left, by)
			ended = append(ended, done...)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return ended, errors.Join(errs...)
}

func end(ctx context.Context, left []Thing, by map[string]Ender) (ended []Thing, err error) {
	var errs []error
	for i := len(left) - 1; i >= 0; i-- { // what was started last may stand on what was started first
		t := left[i]
		if t.Kind == Scratch && len(errs) > 0 {
			continue // what could not be ended may need it to be
		}
		ender := by[t.Kind]
		if ender == nil {
			errs = append(errs, fmt.Errorf("%s: nobody knows how to end it", t))
			continue
		}
		if err := ender(ctx, t); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", t, err))
			continue
		}
		ended = append(ended, t)
	}
	return ended, errors.Join(errs...)
}

// read lists what a file says is not ended, and whether its owner is gone for certain.
func read(file string) (left []Thing, gone bool, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, false, err
	}
	owner, things := parse(data)
	return things, owner != nil && owner.Gone(), nil
}

// parse reads as far as there are whole lines: a program that is killed may have left half of one. One in the middle that
// cannot be read was torn by a full volume; what it was to note was not begun, or is ended once more.
func parse(data []byte) (*Owner, []Thing) {
	var owner *Owner
	open := map[int]Thing{}
	last := 0
	for lines := bufio.NewReader(bytes.NewReader(data)); ; {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var l line
		broken := json.Unmarshal(text, &l) != nil
		if owner == nil && (broken || l.Owner == nil) {
			break
		}
		if broken {
			continue
		}
		switch {
		case l.Owner != nil && owner == nil:
			owner = l.Owner
		case l.Thing != nil && l.Begin > last:
			last = l.Begin
			open[l.Begin] = *l.Thing
		}
		delete(open, l.End)
	}
	var left []Thing
	for n := range last + 1 {
		if t, there := open[n]; there {
			left = append(left, t)
		}
	}
	return owner, left
}

// forgetUnfinished removes files whose program was killed while it made them: it had started nothing yet.
func forgetUnfinished(dir string) {
	files, _ := filepath.Glob(filepath.Join(globSafe(dir), "*.new"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > newLimit {
			os.Remove(file)
		}
	}
}

// globSafe escapes a folder's name for use in a glob pattern.
func globSafe(dir string) string {
	var b []byte
	for i := range len(dir) {
		switch dir[i] {
		case '*', '?', '[', '\\':
			b = append(b, '\\')
		}
		b = append(b, dir[i])
	}
	return string(b)
}
