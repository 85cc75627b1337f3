package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// stayLimit is how long a connection has to last to have reached the target.
const stayLimit = 100 * time.Millisecond

// container is the configured container, or nil.
func (t *Target) container() *config.Container {
	if l := t.cfg.Target.Lifecycle; l != nil {
		return l.Container
	}
	return nil
}

// gateAddress is where the gate listens: as configured, but where a container in a network of its own calls it, which cannot
// reach loopback. That container may know this machine by another name.
func (t *Target) gateAddress(ctx context.Context, configured string) (listen string, err error) {
	c := t.container()
	host, port, err := net.SplitHostPort(configured)
	ip := net.ParseIP(host)
	if c == nil || c.Port == 0 || err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return configured, nil
	}
	reach, call, err := life.ReachHost(ctx)
	if err != nil {
		return "", err
	}
	if call != reach {
		t.gateHost = call
	}
	return net.JoinHostPort(reach, port), nil
}

func (t *Target) makeContainer(i *instance, c *config.Container) error {
	const at = "target.lifecycle.container"
	box := life.Box{Volume: c.Volume, Port: c.Port, Listens: i.base.addr, Ready: t.ready(i, c.Ready), ReadyWithin: c.Ready.Within}
	box.Image = life.Image{Ref: c.Image, Files: map[string]string{}}
	if c.Program != "" {
		box.Image.Program = t.beside(c.Program)
	}
	if c.Build != nil {
		box.Image.Build, box.Image.Dockerfile = t.beside(c.Build.Context), c.Build.Dockerfile
	}
	for path, file := range c.Files {
		box.Image.Files[path] = t.beside(file)
	}
	if c.Port != 0 && c.Ready.HTTP == "" {
		box.Ready = func(ctx context.Context) error { return i.keeps(ctx) }
	}
	vars := t.varsOf(i)
	vars.Dir, vars.Store = c.Volume, t.storeSeenFrom(vars.Store)
	if c.Port != 0 {
		vars.Port = fmt.Sprint(c.Port)
	}
	if t.gateHost != "" {
		if u, err := url.Parse(vars.Downstream); err == nil {
			vars.Downstream = "http://" + net.JoinHostPort(t.gateHost, u.Port())
		}
	}
	for n, arg := range c.Command {
		text, err := expand(arg, vars)
		if err != nil {
			return &ConfigurationError{What: fmt.Sprintf("%s.command[%d]", at, n), Err: err}
		}
		box.Args = append(box.Args, text)
	}
	for name, value := range c.Env {
		text, err := expand(value, vars)
		if err != nil {
			return &ConfigurationError{What: at + ".env." + name, Err: err}
		}
		box.Env = append(box.Env, name+"="+text)
	}
	if i.index > 0 {
		box.Beside = t.first().life.(*life.Container)
	}
	container, err := life.NewContainer(box)
	if err != nil {
		return &ConfigurationError{What: at, Err: err}
	}
	i.life, i.managed = container, true
	if t.moves() && i.port == "0" {
		i.find = container.Addr
	}
	return nil
}

func (i *instance) keeps(ctx context.Context) error {
	addr, err := i.addr()
	if err != nil {
		return err
	}
	return keeps(ctx, addr)
}

// keeps tells whether a connection lasts: the proxy that publishes a container's port takes any, and ends those that it cannot
// carry on.
func keeps(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(stayLimit)); err != nil {
		return err
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%s took a connection and ended it: %w", addr, err)
	}
	return nil
}
