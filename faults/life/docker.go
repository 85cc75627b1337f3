package life

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

const (
	// dockerLimit bounds the search for a Docker that answers; the library's own has no limit.
	dockerLimit   = 20 * time.Second
	defaultSocket = "unix:///var/run/docker.sock"
	noReaper      = "TESTCONTAINERS_RYUK_DISABLED"
)

// DockerError says that Docker cannot be used: it does not answer, or it is not on this machine.
type DockerError struct {
	Host  string // such as unix:///var/run/docker.sock
	Found string // where that comes from, such as DOCKER_HOST
	Err   error
}

func (e *DockerError) Error() string {
	return fmt.Sprintf("Docker at %s (from %s): %v", e.Host, e.Found, e.Err)
}

func (e *DockerError) Unwrap() error { return e.Err }

// docker is a Docker that answers.
type docker struct {
	provider *testcontainers.DockerProvider
	api      client.APIClient
	info     system.Info
}

// connecting orders what the library keeps for the whole program: its logger, and what it found.
var connecting sync.Mutex

// configured is the library's configuration, which it reads once. Its reaper, an image that would have to be pulled to do what
// labels do here, stays away unless somebody asks for it.
var configured = sync.OnceValue(func() testcontainers.TestcontainersConfig {
	if _, set := os.LookupEnv(noReaper); !set {
		os.Setenv(noReaper, "true")
		defer os.Unsetenv(noReaper)
	}
	return testcontainers.ReadConfig()
})

// openDocker finds Docker as testcontainers does, and sees that it is on this machine.
func openDocker(ctx context.Context) (*docker, error) {
	ctx, cancel := context.WithTimeout(ctx, dockerLimit)
	defer cancel()
	type found struct {
		provider *testcontainers.DockerProvider
		err      error
	}
	wanted, from := wantedDocker()
	got := make(chan found, 1)
	go func() {
		provider, err := newProvider()
		got <- found{provider, err}
	}()
	var provider *testcontainers.DockerProvider
	select {
	case <-ctx.Done():
		return nil, &DockerError{wanted, from, fmt.Errorf("it does not answer (%w); is it running?", context.Cause(ctx))}
	case f := <-got:
		if f.err != nil {
			return nil, &DockerError{wanted, from, fmt.Errorf("it does not answer; start it, or name another one with DOCKER_HOST (%w)", f.err)}
		}
		provider = f.provider
	}
	api := provider.Client()
	host := api.DaemonHost()
	if os.Getenv("DOCKER_HOST") != "" && host != wanted {
		return nil, errors.Join(&DockerError{wanted, from, fmt.Errorf("it does not answer; %s does, but is not the one that was named: start the former, or unset DOCKER_HOST", host)}, provider.Close())
	}
	if !onThisMachine(host) {
		return nil, errors.Join(&DockerError{host, foundBy(host), errors.New("it is on another machine; faults need one that runs here")}, provider.Close())
	}
	info, err := api.Info(ctx, client.InfoOptions{})
	if err != nil {
		return nil, errors.Join(&DockerError{host, foundBy(host), err}, provider.Close())
	}
	return &docker{provider, api, info.Info}, nil
}

// newProvider keeps the library silent.
func newProvider() (*testcontainers.DockerProvider, error) {
	connecting.Lock()
	defer connecting.Unlock()
	standard := log.Default()
	log.SetDefault(log.NewNoopLogger())
	defer log.SetDefault(standard)
	return testcontainers.NewDockerProvider(testcontainers.Generic2DockerOptions(testcontainers.WithLogger(log.NewNoopLogger()))...)
}

// wantedDocker is the Docker that ought to be used, and who says so.
func wantedDocker() (host, from string) {
	if host := configured().Config.TestcontainersHost; host != "" {
		return host, foundBy(host)
	}
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		return host, foundBy(host)
	}
	return defaultSocket, foundBy(defaultSocket)
}

func foundBy(host string) string {
	c := configured().Config
	switch host {
	case c.TestcontainersHost:
		return "tc.host in ~/.testcontainers.properties"
	case os.Getenv("DOCKER_HOST"):
		return "DOCKER_HOST"
	case defaultSocket:
		return "the default, since DOCKER_HOST is not set"
	case c.Host:
		return "docker.host in ~/.testcontainers.properties"
	}
	return "the socket of a rootless Docker"
}

func onThisMachine(host string) bool {
	u, err := url.Parse(host)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "unix" || u.Scheme == "npipe" || u.Scheme != "ssh" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// sharesNetwork tells whether a container on the host's network is on this program's: not where Docker runs in a machine of
// its own, or as another user's.
func (d *docker) sharesNetwork() bool {
	return runtime.GOOS == "linux" && !d.inVM() && !slices.ContainsFunc(d.info.SecurityOptions, func(o string) bool { return strings.Contains(o, "rootless") })
}

func (d *docker) inVM() bool {
	return runtime.GOOS != "linux" || strings.Contains(d.info.OperatingSystem, "Docker Desktop")
}

func (d *docker) close() { _ = d.provider.Close() }

// ReachHost finds out how a container with a network of its own reaches this program: the address to listen on, and the host
// that the container has to call. On Linux both are the gateway of Docker's bridge, which other machines do not route to;
// elsewhere Docker forwards a name of its own to loopback.
func ReachHost(ctx context.Context) (listen, call string, err error) {
	d, err := openDocker(ctx)
	if err != nil {
		return "", "", err
	}
	defer d.close()
	if d.inVM() {
		return "127.0.0.1", "host.docker.internal", nil
	}
	bridge, err := d.api.NetworkInspect(ctx, testcontainers.Bridge, client.NetworkInspectOptions{})
	if err != nil {
		return "", "", fmt.Errorf("the network of containers: %w", err)
	}
	for _, c := range bridge.Network.IPAM.Config {
		if c.Gateway.Is4() {
			return c.Gateway.String(), c.Gateway.String(), nil
		}
	}
	// Some versions do not say, but the gateway is this machine's end of the bridge.
	name := bridge.Network.Options["com.docker.network.bridge.name"]
	if end, err := net.InterfaceByName(name); err == nil {
		addresses, _ := end.Addrs()
		for _, a := range addresses {
			if ip, _, err := net.ParseCIDR(a.String()); err == nil && ip.To4() != nil {
				return ip.String(), ip.String(), nil
			}
		}
	}
	return "", "", fmt.Errorf("the network of containers, %s, has no IPv4 gateway (interface %q)", testcontainers.Bridge, name)
}
