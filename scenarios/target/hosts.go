package target

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

// host is where a run may send.
type host struct {
	name string // with port, as it is named to the target
	addr string // resolved: a name that changes its mind during the run changes nothing
	tls  bool

	hostname string         // for the certificate
	roots    *x509.CertPool // nil: those of the system
	remote   bool           // not this machine
}

func (h host) tlsConfig() *tls.Config {
	if !h.tls {
		return nil
	}
	return &tls.Config{ServerName: h.hostname, RootCAs: h.roots, MinVersion: tls.VersionTLS12}
}

// resolve finds the address of a URL, once for the whole run, and sees that the run may send there. Errors say what it is for.
func resolve(ctx context.Context, cfg *config.Config, what, raw string, allowRemote bool) (host, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return host{}, &ConfigurationError{What: what, Err: fmt.Errorf("expected a URL such as http://127.0.0.1:8080")}
	}
	h := host{name: u.Host, tls: u.Scheme == "https", hostname: u.Hostname()}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[h.tls]
	}
	h.addr, h.remote, err = addressOf(ctx, cfg, what, u.Hostname(), port, allowRemote)
	return h, err
}

// addressOf finds the address of a host that the configuration names, and sees that the run may use it.
func addressOf(ctx context.Context, cfg *config.Config, what, name, port string, allowRemote bool) (addr string, remote bool, err error) {
	ips, err := new(net.Resolver).LookupNetIP(ctx, "ip", name)
	if err != nil {
		return "", false, &EnvironmentError{What: what, Err: fmt.Errorf("the host cannot be found: %w", err)}
	}
	remote = slices.ContainsFunc(ips, func(ip netip.Addr) bool { return !ip.Unmap().IsLoopback() })
	if remote {
		if err := allowed(cfg, name, allowRemote); err != nil {
			return "", false, &ConfigurationError{What: what, Err: err}
		}
	}
	// IPv4 first, as most servers on a developer's machine listen there alone.
	slices.SortStableFunc(ips, func(a, b netip.Addr) int {
		return map[bool]int{true: 0, false: 1}[a.Unmap().Is4()] - map[bool]int{true: 0, false: 1}[b.Unmap().Is4()]
	})
	return net.JoinHostPort(reachable(ctx, ips, port), port), remote, nil
}

// unresolved is the host of a URL that only a Toxiproxy reaches, which is told its name. That the run may send there was checked
// with the configuration.
func unresolved(what, raw string) (host, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Port() == "" {
		return host{}, &ConfigurationError{What: what, Err: fmt.Errorf("expected a URL with a port, such as http://127.0.0.1:8080")}
	}
	return host{name: u.Host, addr: u.Host, tls: u.Scheme == "https", hostname: u.Hostname()}, nil
}

// reachable is the first address that takes a connection, else the first.
func reachable(ctx context.Context, ips []netip.Addr, port string) string {
	for _, ip := range ips[:min(len(ips), 4)] {
		if len(ips) == 1 {
			break
		}
		if accepts(ctx, net.JoinHostPort(ip.Unmap().String(), port)) == nil {
			return ip.Unmap().String()
		}
	}
	return ips[0].Unmap().String()
}

// allowed is asked once more about the address that is used: the name was checked with the configuration.
func allowed(cfg *config.Config, name string, allowRemote bool) error {
	named := slices.ContainsFunc(cfg.AllowHosts, func(h string) bool { return strings.EqualFold(h, name) })
	if !named || !allowRemote {
		return fmt.Errorf("%s is not this machine: name it in allow_hosts and pass --allow-remote", name)
	}
	return nil
}

// accepts tells whether somebody takes connections at an address.
func accepts(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return conn.Close()
}
