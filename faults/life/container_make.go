package life

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/oncespec/oncespec/faults/journal"
)

// finishLimit is how long Docker may go on with what is given up: what it ends in the middle it leaves in pieces.
const finishLimit = 5 * time.Second

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
