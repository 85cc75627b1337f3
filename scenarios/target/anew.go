package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/faults/life"
)

// aside is the folder in {dir} that keeps what was there before the target was made anew.
const aside = ".aside"

// CanBeNew tells whether the target may be made as new as it was before the run: all that it keeps is in {dir}, and no intent
// is told apart by what others did.
func (s *Stage) CanBeNew() bool {
	t := s.target
	l := t.cfg.Target.Lifecycle
	if l == nil || l.Process == nil || t.dir == "" || t.cfg.Target.Store != nil || t.crowded() {
		return false
	}
	inDir := func(text string) bool { return strings.Contains(text, "{dir}") }
	for _, value := range l.Process.Env {
		if inDir(value) {
			return true
		}
	}
	return slices.ContainsFunc(l.Process.Command, inDir)
}

// Anew starts the target on an empty {dir}, until AsBefore. What trials did to the new target is gone with it: those that are to
// be kept are counted before, by Settle. The error is an *EnvironmentError.
func (s *Stage) Anew(ctx context.Context) error {
	return s.target.moved(ctx, func(dir string) error {
		kept := filepath.Join(dir, aside)
		switch err := os.Mkdir(kept, 0o700); {
		case err == nil:
			return moveAll(dir, kept)
		case errors.Is(err, os.ErrExist):
			return empty(dir)
		default:
			return err
		}
	})
}

// AsBefore starts the target on what it had before the first Anew.
func (s *Stage) AsBefore(ctx context.Context) error {
	return s.target.moved(ctx, func(dir string) error {
		if err := empty(dir); err != nil {
			return err
		}
		kept := filepath.Join(dir, aside)
		return errors.Join(moveAll(kept, dir), os.Remove(kept))
	})
}

// moved ends the target, changes its folder, and starts it again.
func (t *Target) moved(ctx context.Context, change func(dir string) error) error {
	for _, i := range t.instances {
		_ = i.thaw(ctx)
		if _, err := i.life.Kill(ctx); err != nil && !errors.Is(err, life.ErrNotRunning) {
			return &EnvironmentError{What: "ending " + t.name(i), Err: redactedError{t.redact.text(err.Error()), err}}
		}
		i.becomes(down)
	}
	if err := change(t.dir); err != nil {
		return &EnvironmentError{What: "the scratch folder", Err: fmt.Errorf("emptying it for a while: %w", err)}
	}
	return t.revive(ctx)
}

// empty removes all but what is aside.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != aside {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

func moveAll(from, to string) error {
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		if e.Name() != aside {
			err = errors.Join(err, os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
		}
	}
	return err
}

// Settle takes the stage's last readings now, and not again when the run ends.
func (s *Stage) Settle(ctx context.Context) {
	Pause(ctx, s.target.longestGrace())
	s.Final(ctx)
	for _, trial := range s.trials() {
		trial.mu.Lock()
		trial.settled = true
		trial.mu.Unlock()
	}
}
