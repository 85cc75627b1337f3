package life

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Life is what can be done to a running target. Methods may be called from several goroutines; a Kill or Close ends a Start
// that is under way.
type Life interface {
	// Can tells which methods do something. The others fail with ErrCannot.
	Can() Verbs
	// Start starts the target and returns once it is ready.
	Start(ctx context.Context) error
	// Kill ends it at once, without a chance to tidy up, and returns when it has ended.
	Kill(ctx context.Context) (Exit, error)
	// Stop asks it to end, kills it after the grace, and returns when it has ended.
	Stop(ctx context.Context, grace time.Duration) (Exit, error)
	// Restart kills it if it runs, then starts it.
	Restart(ctx context.Context) error
	// Pause freezes it; Resume lets it go on where it was.
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	// Close leaves nothing running. The target cannot be started again. It may be called more than once.
	Close() error
}

// Verbs is a set of things that a Life can do.
type Verbs uint8

// The verbs.
const (
	CanStart Verbs = 1 << iota
	CanKill
	CanStop
	CanPause
	CanResume
)

// Has reports whether all of the others are in the set.
func (v Verbs) Has(others Verbs) bool { return v&others == others }

func (v Verbs) String() string {
	var names []string
	for i, name := range []string{"start", "kill", "stop", "pause", "resume"} {
		if v.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Exit is how a target ended.
type Exit struct {
	// Witnessed: this program, or Docker, saw the process end. If not, a hook said so, and only When means anything.
	Witnessed bool
	PID       int    // of a process
	Container string // the short id of a container; empty for a process
	// Code is the exit code, or -1 if a signal ended it.
	Code int
	// Signal that ended it, such as SIGKILL; empty if none did.
	Signal string
	// OutOfMemory: the system ended a container for having taken too much of it.
	OutOfMemory bool
	When        time.Time
}

func (e Exit) String() string {
	who := fmt.Sprintf("process %d", e.PID)
	if e.Container != "" {
		who = "container " + e.Container
	}
	why := ""
	if e.OutOfMemory {
		why = ", out of memory"
	}
	switch {
	case !e.Witnessed && e.Container != "":
		return who + " was removed"
	case !e.Witnessed:
		return "ended by a hook"
	case e.Signal != "":
		return fmt.Sprintf("%s ended by %s%s", who, e.Signal, why)
	}
	return fmt.Sprintf("%s ended with code %d%s", who, e.Code, why)
}

// What can go wrong. Errors of this package wrap one of these where the reason is known.
var (
	ErrNotFound   = errors.New("not found")
	ErrExited     = errors.New("ended before it was ready")
	ErrNotReady   = errors.New("not ready in time")
	ErrPortTaken  = errors.New("address is taken by another program")
	ErrRunning    = errors.New("running already")
	ErrNotRunning = errors.New("not running")
	ErrCannot     = errors.New("not possible with this target")
	ErrClosed     = errors.New("closed")
)

// StartError says why a target did not come up.
type StartError struct {
	Command string // as a person would type it
	Reason  error  // one of the errors above, or what the system said
	Detail  string // what was seen, and what to do about it
	Log     string // the end of its output, if there was any
}

func (e *StartError) Unwrap() error { return e.Reason }

func (e *StartError) Error() string {
	text := fmt.Sprintf("%s: %v", e.Command, e.Reason)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if log := tail(e.Log, 20); log != "" {
		text += "\nIt wrote:\n" + log
	}
	return text
}

// tail is the last lines of a text, indented.
func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	if len(all) == 1 && all[0] == "" {
		return ""
	}
	if len(all) > lines {
		all = append([]string{"…"}, all[len(all)-lines:]...)
	}
	return "  " + strings.Join(all, "\n  ")
}
