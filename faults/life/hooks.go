package life

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/oncespec/oncespec/faults/journal"
)

// hookLimit bounds a hook that names no limit.
const hookLimit = time.Minute

// HookCommands are shell commands, each run by sh -c, that act on a target somebody else runs. An empty one cannot be done.
// A hook must return when its work is done (a kill when the target is dead); what it starts in the background keeps running.
type HookCommands struct {
	// Start may be empty where somebody brings the target back by themselves: then starting it is to wait until it is ready.
	Start, Kill, Stop, Pause, Resume string
	// Env, as NAME=value, is added to the environment of this program. Dir is the working folder.
	Env []string
	Dir string
	// Limit is how long one hook may take; 0 is a minute.
	Limit time.Duration
	// Ready and ReadyWithin are as in Command.
	Ready       func(context.Context) error
	ReadyWithin time.Duration
}

// Hooks is a Life by shell commands.
type Hooks struct {
	hooks HookCommands

	mu     sync.Mutex
	log    ring // output of the hooks
	state  hookState
	ours   bool           // the start hook started it
	noted  *journal.Entry // how it stands, for whoever comes after us
	closed bool
}

type hookState int

const (
	up    hookState = iota // or however it was when we came
	down                   // killed or stopped by us
	still                  // paused by us
)

var _ Life = (*Hooks)(nil)

// NewHooks returns a life of which nothing was done yet.
func NewHooks(c HookCommands) *Hooks { return &Hooks{hooks: c} }

// Can tells which hooks there are.
func (h *Hooks) Can() Verbs {
	var can Verbs
	for verb, given := range map[Verbs]bool{
		CanStart:  h.hooks.Start != "" || h.hooks.Ready != nil,
		CanKill:   h.hooks.Kill != "",
		CanStop:   h.hooks.Stop != "",
		CanPause:  h.hooks.Pause != "",
		CanResume: h.hooks.Resume != "",
	} {
		if given {
			can |= verb
		}
	}
	return can
}

// Start runs the start hook, if there is one, and waits until the target is ready.
func (h *Hooks) Start(ctx context.Context) error {
	if h.isClosed() {
		return fmt.Errorf("hook start: %w", ErrClosed)
	}
	if !h.Can().Has(CanStart) {
		return cannot("start")
	}
	if h.hooks.Start != "" {
		if err := h.note(up); err != nil {
			return err
		}
		if err := h.run(ctx, "start", h.hooks.Start); err != nil {
			return err
		}
	}
	h.become(up)
	if err := awaitReady(ctx, h.hooks.Ready, h.hooks.ReadyWithin, nil); err != nil {
		return fmt.Errorf("after the start hook: %w", err)
	}
	return nil
}

// Kill runs the kill hook.
func (h *Hooks) Kill(ctx context.Context) (Exit, error) { return h.end(ctx, "kill", h.hooks.Kill) }

// Stop runs the stop hook. How long it may take to tidy up is for the hook to say; the grace is in its environment as GRACE, in
// whole seconds.
func (h *Hooks) Stop(ctx context.Context, grace time.Duration) (Exit, error) {
	return h.end(ctx, "stop", h.hooks.Stop, fmt.Sprintf("GRACE=%.0f", grace.Seconds()))
}

func (h *Hooks) end(ctx context.Context, verb, command string, env ...string) (Exit, error) {
	if command == "" {
		return Exit{}, cannot(verb)
	}
	if err := h.run(ctx, verb, command, env...); err != nil {
		return Exit{}, err
	}
	h.become(down)
	return Exit{When: time.Now()}, h.settle()
}

// Restart runs the kill hook, unless the target was killed or stopped already, and starts it.
func (h *Hooks) Restart(ctx context.Context) error {
	if h.stands() != down {
		if _, err := h.Kill(ctx); err != nil {
			return err
		}
	}
	return h.Start(ctx)
}

// Pause runs the pause hook.
func (h *Hooks) Pause(ctx context.Context) error { return h.turn(ctx, "pause", h.hooks.Pause, still) }

// Resume runs the resume hook.
func (h *Hooks) Resume(ctx context.Context) error { return h.turn(ctx, "resume", h.hooks.Resume, up) }

func (h *Hooks) turn(ctx context.Context, verb, command string, into hookState) error {
	if command == "" {
		return cannot(verb)
	}
	if into == still {
		if err := h.note(still); err != nil {
			return err
		}
		h.become(still) // also where the hook fails, or is cut off: it may have done it
	}
	if err := h.run(ctx, verb, command); err != nil {
		return err
	}
	h.become(into)
	if into == up {
		return h.settle()
	}
	return nil
}

// note writes down what will have to be undone, before it is done.
func (h *Hooks) note(into hookState) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ours = h.ours || into == up
	left := leftTarget{Resume: h.hooks.Resume, Stop: h.hooks.Stop, Kill: h.hooks.Kill, Dir: h.hooks.Dir, Env: h.hooks.Env, Paused: into == still, Started: h.ours}
	noted, err := journal.Begin(left.thing())
	if err != nil {
		return err
	}
	h.noted.End()
	h.noted = noted
	return nil
}

// settle writes down what still has to be undone.
func (h *Hooks) settle() error {
	h.mu.Lock()
	ours, noted := h.ours, h.noted != nil
	h.mu.Unlock()
	switch {
	case ours:
		return h.note(up)
	case noted:
		h.forget()
	}
	return nil
}

func (h *Hooks) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.noted.End()
	h.noted = nil
}

// Log returns the last 64 KiB that the hooks have written.
func (h *Hooks) Log() string { return h.log.String() }

// Close resumes a target that was paused, and stops (or else kills) one that the start hook started; one that cannot be resumed is
// killed.
func (h *Hooks) Close() error {
	h.mu.Lock()
	closed, state, ours := h.closed, h.state, h.ours
	h.closed = true
	h.mu.Unlock()
	if closed {
		return nil
	}
	ctx := context.Background()
	var err error
	if state == still && h.hooks.Resume != "" {
		err = h.Resume(ctx)
	}
	if ours {
		switch stays := err != nil; {
		case stays && h.hooks.Kill != "": // it may not hear that it is asked to stop
			if _, killed := h.Kill(ctx); killed == nil {
				err = nil
			} else {
				err = errors.Join(err, killed)
			}
		case h.hooks.Stop != "":
			_, stopped := h.Stop(ctx, defaultReadyWithin)
			err = errors.Join(err, stopped)
		case h.hooks.Kill != "":
			_, err = h.Kill(ctx)
		}
	}
	if err == nil {
		h.forget()
	}
	return err
}

func cannot(verb string) error {
	return fmt.Errorf("hook %s: %w: no %s command is configured", verb, ErrCannot, verb)
}

func (h *Hooks) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

func (h *Hooks) stands() hookState {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

func (h *Hooks) become(s hookState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = s
	if s == down {
		h.ours = false
	}
}

// run runs one hook within its limit.
func (h *Hooks) run(ctx context.Context, verb, command string, env ...string) error {
	limit := h.hooks.Limit
	if limit <= 0 {
		limit = hookLimit
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	// A file, not a pipe: a target that the hook leaves in the background goes on writing, and must be able to.
	output, err := os.CreateTemp("", "hook-*.log")
	if err != nil {
		return fmt.Errorf("hook %s: %w", verb, err)
	}
	_ = os.Remove(output.Name()) // where the system lets it go while it is open, a kill of ours leaves nothing
	defer os.Remove(output.Name())
	defer output.Close()

	cmd := exec.CommandContext(limited, "sh", "-c", command)
	cmd.Dir = h.hooks.Dir
	cmd.Env = append(append(os.Environ(), h.hooks.Env...), env...)
	cmd.Stdout, cmd.Stderr = output, output
	separate(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	err = cmd.Run()

	written := lastBytes(output)
	_, _ = h.log.Write(written)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case limited.Err() != nil:
		err = fmt.Errorf("still running after %v, and killed", limit)
	}
	if text := tail(string(written), 20); text != "" {
		return fmt.Errorf("hook %s (%s): %w\nIt wrote:\n%s", verb, command, err, text)
	}
	return fmt.Errorf("hook %s (%s): %w", verb, command, err)
}

// lastBytes reads the end of a hook's output, as far as it is kept.
func lastBytes(f *os.File) []byte {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil
	}
	data, _ := io.ReadAll(io.NewSectionReader(f, max(0, size-logSize), logSize))
	return data
}
