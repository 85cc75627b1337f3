package life

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/oncespec/oncespec/faults/journal"
)

const (
	imageTag = "run"
	// closeLimit bounds the removal of a container and what belongs to it.
	closeLimit = 30 * time.Second
	// finishLimit is how long Docker may go on with what is given up: what it ends in the middle it leaves in pieces.
	finishLimit = 5 * time.Second
)

// Image is where a container's image comes from: Ref, or Build, or Program. What is built for a container goes with it.
type Image struct {
	// Ref is an image by its name. It is pulled if it is not here.
	Ref string
	// Build is a folder to build an image from, by the recipe in its file Dockerfile, or the one named here.
	Build, Dockerfile string
	// Program is a static program that makes up the image, run as PID 1. Files stand beside it: path there → file here.
	Program string
	Files   map[string]string
}

func (i Image) String() string {
	switch {
	case i.Ref != "":
		return "container of " + i.Ref
	case i.Build != "":
		return "container built from " + i.Build
	}
	return "container of " + filepath.Base(i.Program)
}

// Box is a target to be run in a container.
type Box struct {
	Image Image
	// Args, if any, replace the image's command; they are the arguments of its entry point.
	Args []string
	// Env, as NAME=value, is added to the image's environment. This program's is not passed on.
	Env []string
	// Beside, if not nil, is a container whose image and volume this one shares; of its own Image only what it is matters, for
	// people. That one has to be started before this, and closed after it.
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

func onLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
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

// moves tells whether Docker chooses the port at each start.
func (c *Container) moves() bool { return strings.HasSuffix(c.box.Listens, ":0") }

// locate finds out where Docker publishes the target this time. One that has ended already is nowhere; that is told elsewhere.
func (c *Container) locate(ctx context.Context, s *stay) error {
	s.addr = c.box.Listens
	if !c.moves() {
		return nil
	}
	seen, err := c.docker.api.ContainerInspect(ctx, c.id, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("where its port is published: %w", err)
	}
	inside, err := network.ParsePort(strconv.Itoa(c.box.Port) + "/tcp")
	if err != nil {
		return err
	}
	s.addr = ""
	if seen.Container.NetworkSettings != nil {
		for _, b := range seen.Container.NetworkSettings.Ports[inside] {
			s.addr = net.JoinHostPort(b.HostIP.String(), b.HostPort)
		}
	}
	return nil
}

// Addr is the host:port where the target is reached. Where Docker chooses it, a target that does not run is nowhere
// (ErrNotRunning): its last port may be another program's by now.
func (c *Container) Addr() (string, error) {
	if !c.moves() {
		return c.box.Listens, nil
	}
	if s := c.running(); s != nil && s.addr != "" {
		return s.addr, nil
	}
	return "", fmt.Errorf("where the %s is reached: %w", c.image, ErrNotRunning)
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

// make makes the container, unless there is one.
func (c *Container) make(ctx context.Context) error {
	if c.id != "" {
		return nil
	}
	if c.docker == nil {
		d, err := openDocker(ctx)
		if err != nil {
			return err
		}
		noted, err := journal.Begin(journal.Thing{Kind: leftContainer, Name: c.name})
		if err != nil {
			d.close()
			return c.failed(err, "", "")
		}
		c.mu.Lock()
		c.docker, c.noted = d, noted
		c.mu.Unlock()
		_ = d.sweep(ctx) // what cannot be removed now can be by the next run
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), imageLimit)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(finishLimit, cancel) })()
	request, err := c.request(limited)
	if err == nil && ctx.Err() == nil {
		var made testcontainers.Container
		if made, err = c.docker.provider.CreateContainer(limited, request); err == nil {
			c.mu.Lock()
			c.id = made.GetContainerID()
			c.mu.Unlock()
			if ctx.Err() == nil {
				return nil
			}
		}
	}
	c.cut.Store(ctx.Err() != nil || limited.Err() != nil)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case limited.Err() != nil:
		err = fmt.Errorf("its image is not there after %v: %w", imageLimit, err)
	}
	log := ""
	if strings.Contains(err.Error(), "build image") {
		log = c.builder.String()
	}
	return c.failed(err, "", log)
}

// request says what to make.
func (c *Container) request(ctx context.Context) (testcontainers.ContainerRequest, error) {
	d, b := c.docker, c.box
	r := testcontainers.ContainerRequest{Image: c.image.Ref, Name: c.name, Cmd: b.Args, Labels: c.labels}
	volume := c.name
	if b.Beside != nil {
		if b.Beside.made() == "" {
			return r, errors.New("the container that it shares image and volume with is not there")
		}
		volume = b.Beside.name
		r.Image = b.Beside.imageName()
	}
	from, err := c.build(d)
	switch {
	case b.Beside != nil:
	case err != nil:
		return r, err
	case from != nil:
		r.FromDockerfile = *from
	default:
		if err := d.pull(ctx, c.image.Ref); err != nil {
			return r, err
		}
	}
	host, port, _ := net.SplitHostPort(b.Listens)
	r.ConfigModifier = func(to *container.Config) { to.Env = b.Env }
	inside, err := network.ParsePort(strconv.Itoa(b.Port) + "/tcp")
	switch {
	case b.Port == 0 && !d.sharesNetwork():
		return r, errors.New("this Docker has no container on this machine's network (it runs in a machine of its own, or rootless): name the port that the target listens on in a network of its own")
	case b.Port != 0 && err != nil:
		return r, err
	case b.Port != 0:
		r.ExposedPorts = []string{inside.String()}
	}
	if b.Volume != "" && b.Beside == nil {
		if _, err := d.api.VolumeCreate(ctx, client.VolumeCreateOptions{Name: c.name, Labels: c.labels}); err != nil {
			return r, fmt.Errorf("volume: %w", err)
		}
	}
	r.HostConfigModifier = func(to *container.HostConfig) {
		if b.Volume != "" {
			to.Mounts = append(to.Mounts, mount.Mount{Type: mount.TypeVolume, Source: volume, Target: b.Volume})
		}
		to.LogConfig = container.LogConfig{Type: "json-file", Config: map[string]string{"max-size": "10m", "max-file": "2"}}
		if b.Port == 0 {
			to.NetworkMode = network.NetworkHost
			return
		}
		if c.moves() {
			port = "" // Docker's choice
		}
		to.PortBindings = network.PortMap{inside: {{HostIP: netip.MustParseAddr(host), HostPort: port}}}
	}
	return r, nil
}

// made is the container's id; empty until there is one.
func (c *Container) made() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// imageName is how Docker knows the image.
func (c *Container) imageName() string {
	switch {
	case c.box.Beside != nil:
		return c.box.Beside.imageName()
	case c.image.Ref != "":
		return c.image.Ref
	}
	return c.name + ":" + imageTag
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

// Log returns the last 64 KiB of what the container has written since it was last started, output and errors together.
func (c *Container) Log() string {
	s := c.latest()
	c.mu.Lock()
	closed, last := c.closed, c.last
	c.mu.Unlock()
	if closed || s == nil {
		return last
	}
	return s.log()
}

// Close kills the container if it runs, and removes it, its volume, and the image that was built for it. Start fails from then
// on.
func (c *Container) Close() error {
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	c.mu.Unlock()
	c.shut()
	c.making.Lock() // what is being made is made, or given up
	defer c.making.Unlock()
	defer c.forget()
	if closed || c.docker == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	defer c.docker.close()
	s := c.latest()
	if s != nil {
		c.keepLog(ctx, s)
	}
	var err error
	if label := labelName + "=" + c.name; c.cut.Load() {
		err = c.docker.removeForGood(ctx, label)
	} else {
		err = c.docker.remove(ctx, label, func(map[string]string) bool { return true })
	}
	if s != nil {
		c.forget()
		<-s.ended
	}
	if err != nil {
		return fmt.Errorf("removing the %s: %w", c.image, err)
	}
	c.noted.End()
	return nil
}

// keepLog ends a container, after which its output is whole, and keeps the end of that.
func (c *Container) keepLog(ctx context.Context, s *stay) {
	_ = s.signal(ctx, "SIGKILL")
	select {
	case <-s.ended:
	case <-ctx.Done():
	}
	last := s.log()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = last
}
