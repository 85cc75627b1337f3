package life

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

const (
	// logLimit bounds reading a container's output.
	logLimit = 5 * time.Second
	// killedBySignal is what Docker adds to a signal's number, as shells do.
	killedBySignal = 128
)

// stay is one run of a container, from a start to its end.
type stay struct {
	still  atomic.Bool // frozen, as far as this program had a hand in it
	docker *docker
	id     string
	since  time.Time
	addr   string        // where its port is published; empty: nowhere
	ended  chan struct{} // closed when it has ended, or when nobody cares any more
	exit   Exit          // set before ended is closed
}

func (s *stay) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// watch sees the container to its end.
func (s *stay) watch(ctx context.Context) {
	defer close(s.ended)
	s.exit = Exit{Container: s.id[:12]}
	for ctx.Err() == nil {
		wait := s.docker.api.ContainerWait(ctx, s.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
		select {
		case <-wait.Result:
		case <-wait.Error: // Docker may be on its way down or up: it is asked again
		}
		seen, err := s.docker.api.ContainerInspect(ctx, s.id, client.ContainerInspectOptions{})
		switch {
		case errdefs.IsNotFound(err):
			s.exit.When = time.Now()
			return
		case err == nil && !seen.Container.State.Running:
			s.exit = exitOf(s.id, seen.Container.State)
			return
		}
		timer := time.NewTimer(lastPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// exitOf reads how a container ended. A code such as 137 is a signal's; a program that ends with it by itself looks the same.
func exitOf(id string, state *container.State) Exit {
	e := Exit{Witnessed: true, Container: id[:12], Code: state.ExitCode, OutOfMemory: state.OOMKilled, When: time.Now()}
	if at, err := time.Parse(time.RFC3339Nano, state.FinishedAt); err == nil && at.Year() > 1 {
		e.When = at
	}
	if name, ok := linuxSignals[state.ExitCode-killedBySignal]; ok {
		e.Code, e.Signal = -1, name
	}
	return e
}

// linuxSignals are those that end programs, by the numbers of the system that containers run on.
var linuxSignals = map[int]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL",
	10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM"}

// log reads the end of what was written since this start.
func (s *stay) log() string {
	ctx, cancel := context.WithTimeout(context.Background(), logLimit)
	defer cancel()
	written, err := s.docker.api.ContainerLogs(ctx, s.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true,
		Since: s.since.UTC().Format(time.RFC3339Nano), Tail: "2000"})
	if err != nil {
		return ""
	}
	defer written.Close()
	var text ring
	_, _ = stdcopy.StdCopy(&text, &text, written)
	return text.String()
}

// Kill ends the container with SIGKILL, all of its processes with it, and returns when it has ended. If it had ended before,
// the error is ErrNotRunning and the exit that of then.
func (c *Container) Kill(ctx context.Context) (Exit, error) {
	return c.end(ctx, "kill", func(s *stay) error { return s.signal(ctx, "SIGKILL") })
}

// Stop sends the signal that the image asks to be stopped with, SIGTERM as a rule, and SIGKILL after the grace.
func (c *Container) Stop(ctx context.Context, grace time.Duration) (Exit, error) {
	return c.end(ctx, "stop", func(s *stay) error {
		seen, err := s.docker.api.ContainerInspect(ctx, s.id, client.ContainerInspectOptions{})
		if err != nil {
			return err
		}
		word := "SIGTERM"
		if seen.Container.Config != nil && seen.Container.Config.StopSignal != "" {
			word = seen.Container.Config.StopSignal
		}
		if err := s.signal(ctx, word); err != nil {
			return err
		}
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-s.ended:
			return nil
		case <-timer.C:
		case <-ctx.Done():
		}
		return s.signal(context.WithoutCancel(ctx), "SIGKILL")
	})
}

// signal sends a signal; one that comes too late did not fail. Docker lets what is paused go on, so that it can end.
func (s *stay) signal(ctx context.Context, name string) error {
	_, err := s.docker.api.ContainerKill(ctx, s.id, client.ContainerKillOptions{Signal: name})
	if errdefs.IsConflict(err) || errdefs.IsNotFound(err) {
		return nil
	}
	return err
}

func (c *Container) end(ctx context.Context, verb string, by func(*stay) error) (Exit, error) {
	s := c.latest()
	if s == nil {
		return Exit{}, fmt.Errorf("%s %s: %w", verb, c.image, ErrNotRunning)
	}
	if s.over() {
		return s.exit, fmt.Errorf("%s %s: %w: %v before", verb, c.image, ErrNotRunning, s.exit)
	}
	if err := by(s); err != nil {
		return Exit{}, fmt.Errorf("%s %s: %w", verb, c.image, err)
	}
	select {
	case <-s.ended:
		return s.exit, nil
	case <-ctx.Done():
		return Exit{}, fmt.Errorf("%s %s: container %s has not ended: %w", verb, c.image, s.id[:12], context.Cause(ctx))
	}
}

// Restart kills the container if it runs and starts it again.
func (c *Container) Restart(ctx context.Context) error {
	if _, err := c.Kill(ctx); err != nil && !errors.Is(err, ErrNotRunning) {
		return err
	}
	return c.Start(ctx)
}

// Pause freezes all of the container's processes.
func (c *Container) Pause(ctx context.Context) error {
	return c.freeze(ctx, "pause", true, func(s *stay) error {
		_, err := s.docker.api.ContainerPause(ctx, s.id, client.ContainerPauseOptions{})
		return err
	})
}

// Resume lets them go on.
func (c *Container) Resume(ctx context.Context) error {
	return c.freeze(ctx, "resume", false, func(s *stay) error {
		_, err := s.docker.api.ContainerUnpause(ctx, s.id, client.ContainerUnpauseOptions{})
		return err
	})
}

const (
	// stillLimit bounds the wait for Docker to know how a container stands, stillPause is between two attempts.
	stillLimit = 2 * time.Second
	stillPause = 20 * time.Millisecond
)

// freeze does it until it is done. Docker hears late of what it did itself: for a moment after a container was let go on and
// frozen again it thinks that it goes on, and refuses to let it, which would leave it frozen for good.
func (c *Container) freeze(ctx context.Context, verb string, still bool, by func(*stay) error) error {
	s := c.running()
	if s == nil {
		return fmt.Errorf("%s %s: %w", verb, c.image, ErrNotRunning)
	}
	for until := time.Now().Add(stillLimit); ; {
		err := by(s)
		if err == nil {
			s.still.Store(still)
			return nil
		}
		told := s.frozen(c.alive, fmt.Sprintf("%s %s", verb, c.image), still, err)
		if s.still.Load() == still || errors.Is(told, ErrNotRunning) || time.Now().After(until) {
			return told // it was so already, as far as is known
		}
		select {
		case <-time.After(stillPause):
		case <-ctx.Done():
			return told
		}
	}
}

// frozen judges what Docker said: that it was so already is no failure, that it has ended is one.
func (s *stay) frozen(ctx context.Context, what string, still bool, err error) error {
	if err == nil {
		return nil
	}
	seen, lost := s.docker.api.ContainerInspect(ctx, s.id, client.ContainerInspectOptions{})
	switch {
	case errdefs.IsNotFound(lost) || lost == nil && !seen.Container.State.Running:
		return fmt.Errorf("%s: %w", what, ErrNotRunning)
	case lost == nil && seen.Container.State.Paused == still:
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
