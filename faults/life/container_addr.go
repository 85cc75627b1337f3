package life

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
)

func onLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
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
