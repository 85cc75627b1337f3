package life

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/oncespec/oncespec/faults/journal"
)

// Command is a target to be run by this program.
type Command struct {
	// Argv is the program and its arguments. A program without a slash is looked up in PATH; one with a slash is relative to Dir.
	Argv []string
	// Env, as NAME=value, is added to the environment of this program.
	Env []string
	// Dir is the working folder; empty is this program's.
	Dir string
	// Ready reports whether the target may be used. It is called until it returns nil. Nil means that a target which runs is
	// ready.
	Ready func(context.Context) error
	// ReadyWithin is how long it may take to be ready; 0 is 10 s.
	ReadyWithin time.Duration
	// Listens is the host:port that the command is going to listen on, if known. Start refuses where somebody else does:
	// otherwise that program would be taken for the target.
	Listens string
}

// Process is a Life of a command.
type Process struct {
	command Command

	cookie cookie // what it and all that it starts carry in their environment

	mu      sync.Mutex // guards the fields below; held while a process is being started, not while it gets ready
	noted   *journal.Entry
	current *instance // the latest one, running or not
	closed  bool
}

var _ Life = (*Process)(nil)

// NewProcess returns a process that is not started yet.
func NewProcess(c Command) (*Process, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("target: the command is empty")
	}
	return &Process{command: c, cookie: newCookie()}, nil
}

// ProcessVerbs is what can be done to a process: all of it, except where the operating system cannot freeze one.
const ProcessVerbs = CanStart | CanKill | CanStop | freezing

// Can says ProcessVerbs.
func (p *Process) Can() Verbs { return ProcessVerbs }

// Start starts the command and returns once it is ready. If it does not come up nothing is left running, and the error is a
// *StartError.
func (p *Process) Start(ctx context.Context) error {
	if p.command.Listens != "" && !p.running() {
		if err := awaitFree(ctx, p.command.Listens); err != nil {
			return p.failed(ErrPortTaken, p.command.Listens+"; stop that program, or choose another port ("+err.Error()+")", "")
		}
	}
	i, err := p.spawn()
	if err != nil {
		return err
	}
	err = awaitReady(ctx, p.command.Ready, p.command.ReadyWithin, i.exited)
	if err == nil {
		return nil
	}
	i.kill()
	<-i.exited
	log := i.log.String()
	switch {
	case saysPortTaken(log):
		return p.failed(ErrPortTaken, "stop that program, or choose another port", log)
	case errors.Is(err, errGone):
		return p.failed(ErrExited, i.exit.String(), log)
	case errors.Is(err, ErrNotReady):
		return p.failed(ErrNotReady, strings.TrimPrefix(err.Error(), ErrNotReady.Error()+": "), log)
	}
	return p.failed(err, "", log)
}

// spawn starts an instance, unless one runs.
func (p *Process) spawn() (*instance, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, p.failed(ErrClosed, "", "")
	case p.current != nil && !p.current.over():
		return nil, p.failed(ErrRunning, fmt.Sprintf("process %d", p.current.pid), "")
	}
	if p.noted == nil {
		noted, err := journal.Begin(journal.Thing{Kind: leftProcess, Name: p.cookie.value})
		if err != nil {
			return nil, p.failed(err, "", "")
		}
		p.noted = noted
	}
	i, err := start(p.command, p.cookie)
	switch {
	case err == nil:
		p.current = i
		return i, nil
	case p.command.Dir != "" && !isDir(p.command.Dir):
		return nil, p.failed(err, "the working folder "+p.command.Dir+" does not exist", "")
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return nil, p.failed(ErrNotFound, "is it built, and is its path right? ("+err.Error()+")", "")
	case errors.Is(err, fs.ErrPermission):
		return nil, p.failed(err, "is it executable?", "")
	case errors.Is(err, syscall.ENOEXEC):
		return nil, p.failed(err, "it is no program for this machine; a script needs a first line such as #!/bin/sh", "")
	}
	return nil, p.failed(err, "", "")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (p *Process) failed(reason error, detail, log string) error {
	return &StartError{Command: strings.Join(p.command.Argv, " "), Reason: reason, Detail: detail, Log: log}
}

func (p *Process) running() bool {
	i := p.latest()
	return i != nil && !i.over()
}

func (p *Process) latest() *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current
}

// Kill sends SIGKILL to the command and all its children, and returns when it has ended. If it had ended before, the error is
// ErrNotRunning and the exit that of then.
func (p *Process) Kill(ctx context.Context) (Exit, error) {
	return p.end(ctx, "kill", func(i *instance) { i.kill() })
}

// Stop sends SIGTERM to the command and all its children, and SIGKILL after the grace; the exit's Signal tells which it was.
func (p *Process) Stop(ctx context.Context, grace time.Duration) (Exit, error) {
	return p.end(ctx, "stop", func(i *instance) {
		i.terminate()
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-i.exited:
			return
		case <-timer.C:
		case <-ctx.Done():
		}
		i.kill()
	})
}

func (p *Process) end(ctx context.Context, verb string, by func(*instance)) (Exit, error) {
	i := p.latest()
	if i == nil {
		return Exit{}, fmt.Errorf("%s %s: %w", verb, p.command.Argv[0], ErrNotRunning)
	}
	if i.over() {
		return i.exit, fmt.Errorf("%s %s: %w: %v before", verb, p.command.Argv[0], ErrNotRunning, i.exit)
	}
	by(i)
	select {
	case <-i.exited:
		return i.exit, nil
	case <-ctx.Done():
		return Exit{}, fmt.Errorf("%s %s: process %d has not ended: %w", verb, p.command.Argv[0], i.pid, context.Cause(ctx))
	}
}

// Restart kills the command if it runs and starts it again.
func (p *Process) Restart(ctx context.Context) error {
	if _, err := p.Kill(ctx); err != nil && !errors.Is(err, ErrNotRunning) {
		return err
	}
	return p.Start(ctx)
}

// Pause sends SIGSTOP to the command and all its children, and returns once the command stands still.
func (p *Process) Pause(context.Context) error { return p.freeze("pause", true) }

// Resume sends SIGCONT to the command and all its children.
func (p *Process) Resume(context.Context) error { return p.freeze("resume", false) }

func (p *Process) freeze(verb string, still bool) error {
	i := p.latest()
	if i == nil || i.over() {
		return fmt.Errorf("%s %s: %w", verb, p.command.Argv[0], ErrNotRunning)
	}
	if err := i.freeze(still); err != nil {
		return fmt.Errorf("%s %s: %w", verb, p.command.Argv[0], err)
	}
	return nil
}

// PID of the latest process; 0 if none was started.
func (p *Process) PID() int {
	if i := p.latest(); i != nil {
		return i.pid
	}
	return 0
}

// Exited is closed when the latest process has ended; nil if none was started.
func (p *Process) Exited() <-chan struct{} {
	if i := p.latest(); i != nil {
		return i.exited
	}
	return nil
}

// Exit returns how the latest process ended, if it has.
func (p *Process) Exit() (Exit, bool) {
	if i := p.latest(); i != nil && i.over() {
		return i.exit, true
	}
	return Exit{}, false
}

// Log returns the last 64 KiB of what the latest process has written, output and errors together.
func (p *Process) Log() string {
	if i := p.latest(); i != nil {
		return i.log.String()
	}
	return ""
}

// Close kills the command if it runs. Start fails from then on.
func (p *Process) Close() error {
	p.mu.Lock()
	p.closed = true
	i, noted := p.current, p.noted
	p.mu.Unlock()
	if i != nil {
		i.kill()
		<-i.exited
	}
	if err := killCarriers(p.cookie); noted != nil && err != nil {
		return fmt.Errorf("close %s: %w", p.command.Argv[0], err)
	}
	noted.End()
	return nil
}
