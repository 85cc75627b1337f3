package journal

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	// Scratch is the kind of a folder that is there only for a run.
	Scratch       = "scratch folder"
	scratchPrefix = "oncespec-"
)

// MakeScratch makes a folder for temporary files that goes with the program, also if that is killed: then the next one
// removes it.
func MakeScratch() (dir string, remove func() error, err error) {
	dir = filepath.Join(os.TempDir(), scratchPrefix+strings.ToLower(rand.Text()[:12]))
	entry, err := Begin(Thing{Kind: Scratch, Name: dir})
	if err != nil {
		return "", nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		entry.End()
		return "", nil, err
	}
	return dir, func() error {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		entry.End()
		return nil
	}, nil
}

// EndScratch removes a folder that MakeScratch made, and nothing that only says so.
func EndScratch(_ context.Context, t Thing) error {
	if !filepath.IsAbs(t.Name) || !strings.HasPrefix(filepath.Base(t.Name), scratchPrefix) {
		return fmt.Errorf("%s is no folder of ours", t.Name)
	}
	return os.RemoveAll(t.Name)
}
