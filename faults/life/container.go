package life

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/moby/moby/client"

	"github.com/oncespec/oncespec/faults/journal"
)

// Box is a target to be run in a container.
type Box struct {
	Image Image
	// Args, if any, replace the image's command; they are the arguments of its entry point.
	Args []string
	// Env, as NAME=value, is added to the image's environment. This program's is not passed on.
	Env []string
	// Beside, if not nil, is a container whose image and volume this one shares: start it before this one and close it after.
	// Of this box's own Image only the description in messages is used.
	Beside *Container
	// Volume, if not empty, is a folder in the container that survives a kill and a restart, and ends with Close.
	Volume string
	// Port is where the target listens in a network of its own; it is published on Listens. 0 is the network of this machine:
	// then the target itself listens on Listens, and nothing stands between it and its callers.
	Port int
	// Listens is the loopback host:port where the target is reached. It stays the same over restarts, unless the port is 0:
	// then Docker chooses one at each start, and Container.Addr tells it. Port must not be 0 then.
	Listens string
	// Ready and ReadyWithin are as in Command. Where a port is published, Docker takes connections before the target does.
	Ready       func(context.Context) error
	ReadyWithin time.Duration
}

// Container is a Life of a container. Kill is SIGKILL; Start after it starts the same container on the same volume.
type Container struct {
	box    Box
	image  Image
	name   string // of the container, its volume and its image
	labels map[string]string

	open   context.Context // ends when Close begins
	shut   context.CancelFunc
	alive  context.Context // ends with Close
	forget context.CancelFunc
	cut    atomic.Bool // the container was given up while it was being made
	making sync.Mutex  // held while the container is being made, started, or removed

	mu      sync.Mutex // guards the fields below
	docker  *docker
	noted   *journal.Entry
	id      string // empty until it is made
	current *stay
	closed  bool
	last    string // the end of its output, when there is no container any more
	builder ring   // what building wrote
}

var _ Life = (*Container)(nil)

// NewContainer returns a container that is neither made nor started yet. Docker is looked for by Start.
func NewContainer(b Box) (*Container, error) {
	given := 0
	for _, s := range []string{b.Image.Ref, b.Image.Build, b.Image.Program} {
		if s != "" {
			given++
		}
	}
	if given != 1 {
		return nil, errors.New("container: expected exactly one of an image, a folder to build one from, and a program")
	}
	if host, port, err := net.SplitHostPort(b.Listens); err != nil || port == "0" && b.Port == 0 || !onLoopback(host) {
		return nil, fmt.Errorf("container: expected a port on loopback to reach it at, such as 127.0.0.1:8080, found %q", b.Listens)
	}
	c := &Container{box: b, image: b.Image, name: "oncespec-" + strings.ToLower(rand.Text()[:12]), labels: labelsOf(journal.Self())}
	c.labels[labelName] = c.name
	c.open, c.shut = context.WithCancel(context.Background())
	c.alive, c.forget = context.WithCancel(context.Background())
	return c, nil
}

// Can says all of it.
func (c *Container) Can() Verbs { return CanStart | CanKill | CanStop | CanPause | CanResume }

// Start makes the container the first time, starts it, and returns once it is ready. If it does not come up it does not run,
// and the error is a *StartError, or a *DockerError where Docker itself is the reason.
func (c *Container) Start(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.open, func() { cancel(ErrClosed) })()
	s, err := c.launch(ctx)
	if err != nil {
		return err
	}
	err = awaitReady(ctx, c.box.Ready, c.box.ReadyWithin, s.ended)
	if err == nil {
		return nil
	}
	_, _ = s.docker.api.ContainerKill(c.alive, s.id, client.ContainerKillOptions{Signal: "SIGKILL"})
	<-s.ended
	log := c.Log()
	switch {
	case saysPortTaken(log):
		return c.failed(ErrPortTaken, "stop that program, or choose another port", log)
	case errors.Is(err, errGone):
		return c.failed(ErrExited, s.exit.String(), log)
	case errors.Is(err, ErrNotReady):
		return c.failed(ErrNotReady, strings.TrimPrefix(err.Error(), ErrNotReady.Error()+": "), log)
	}
	return c.failed(err, "", log)
}

// launch makes the container if need be, and starts it.
func (c *Container) launch(ctx context.Context) (*stay, error) {
	c.making.Lock()
	defer c.making.Unlock()
	switch {
	case c.isClosed():
		return nil, c.failed(ErrClosed, "", "")
	case c.running() != nil:
		return nil, c.failed(ErrRunning, "", "")
	}
	if err := c.make(ctx); err != nil {
		return nil, err
	}
	if err := awaitFree(ctx, c.box.Listens); err != nil && !c.moves() {
		return nil, c.failed(ErrPortTaken, c.box.Listens+"; stop that program, or choose another port ("+err.Error()+")", "")
	}
	s := &stay{docker: c.docker, id: c.id, ended: make(chan struct{}), since: time.Now()}
	if _, err := c.docker.api.ContainerStart(ctx, c.id, client.ContainerStartOptions{}); err != nil {
		_, _ = c.docker.api.ContainerKill(c.alive, c.id, client.ContainerKillOptions{Signal: "SIGKILL"}) // it may have started all the same
		return nil, c.cannotLaunch(ctx, err)
	}
	go s.watch(c.alive)
	if err := c.locate(ctx, s); err != nil {
		_, _ = c.docker.api.ContainerKill(c.alive, c.id, client.ContainerKillOptions{Signal: "SIGKILL"})
		<-s.ended
		return nil, c.failed(err, "", "")
	}
	c.mu.Lock()
	c.current = s
	c.mu.Unlock()
	return s, nil
}

// cannotLaunch says why Docker could not start the container.
func (c *Container) cannotLaunch(ctx context.Context, err error) error {
	switch text := err.Error(); {
	case ctx.Err() != nil:
		return c.failed(context.Cause(ctx), "", "")
	case saysPortTaken(text):
		return c.failed(ErrPortTaken, c.box.Listens+"; stop that program, or choose another port ("+text+")", "")
	case strings.Contains(text, "no such file or directory") || strings.Contains(text, "executable file not found"):
		return c.failed(ErrNotFound, "the image does not hold what is to be run ("+text+")", "")
	}
	return c.failed(err, "", "")
}

func (c *Container) failed(reason error, detail, log string) error {
	return &StartError{Command: strings.TrimSpace(c.image.String() + " " + strings.Join(c.box.Args, " ")), Reason: reason, Detail: detail, Log: log}
}

func (c *Container) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

func (c *Container) latest() *stay {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// running is the stay that goes on, or nil.
func (c *Container) running() *stay {
	if s := c.latest(); s != nil && !s.over() {
		return s
	}
	return nil
}
