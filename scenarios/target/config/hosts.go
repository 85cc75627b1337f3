package config

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oncespec/oncespec/scenarios/target/template"
)

// lookupLimit bounds the resolution of one name.
const lookupLimit = 5 * time.Second

// resolve is the resolver of CheckHosts; tests replace it.
var resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// CheckHosts refuses to touch what may be somebody's production: a host beyond loopback unless allow_hosts names it and
// allowRemote is given, a name that looks like production, a key that looks live. Names are resolved: one that is thought to
// be local and is not is refused. The error is Problems.
func CheckHosts(c *Config, allowRemote bool) error {
	h := &hostCheck{config: c, remote: allowRemote, d: c.source}
	if h.d == nil {
		h.d = &document{name: c.Path}
	}
	h.name("/target/name", c.Target.Name)
	if c.Toxiproxy != nil {
		h.toxiproxy()
	} else {
		for n, url := range append([]string{c.Target.URL}, c.Target.Replicas...) {
			h.host(instanceAt(n), c.hostOf(url))
		}
	}
	if d := c.Target.Downstream; d != nil {
		if host, _, err := net.SplitHostPort(d.Listen); err == nil {
			h.host("/target/downstream/listen", host)
		}
	}
	h.store(c)
	for _, name := range c.Order {
		for i, e := range c.Operations[name].Effects {
			if e.SQL != nil && e.SQL.Driver == string(template.Postgres) {
				h.database(below("/operations/"+name+"/effects", i)+"/sql/dsn", e.SQL.DSN)
			}
		}
	}
	h.keys()
	return h.problems.err()
}

type hostCheck struct {
	config   *Config
	remote   bool
	d        *document
	problems Problems
}

func (h *hostCheck) add(at, found, expected string) {
	h.problems = append(h.problems, h.d.problem(h.d.at(at), at, found, expected, ""))
}

func (h *hostCheck) host(at, host string) {
	if host == "" {
		return
	}
	h.name(at, host)
	named := h.named(host)
	addresses, err := addressesOf(host)
	switch {
	case err != nil:
		h.add(at, fmt.Sprintf("the host %s, which cannot be resolved (%v)", host, err), "one that can")
	case !slices.ContainsFunc(addresses, func(a netip.Addr) bool { return !a.Unmap().IsLoopback() }):
	case slices.ContainsFunc(addresses, func(a netip.Addr) bool { return !reachable(a.Unmap()) }):
		h.add(at, fmt.Sprintf("the host %s at %s", host, join(addresses)), "an address of a host")
	case !named:
		h.add(at, fmt.Sprintf("the host %s at %s", host, join(addresses)), "a host on this machine, or one that allow_hosts names, with --allow-remote given")
	case !h.remote:
		h.add(at, "the host "+host+", which is not this machine", "--allow-remote to be given too: writes would be sent there")
	}
}

// named tells whether allow_hosts names a host.
func (h *hostCheck) named(host string) bool {
	return slices.ContainsFunc(h.config.AllowHosts, func(allowed string) bool { return strings.EqualFold(allowed, host) })
}

// reachable refuses addresses that stand for something else than one host of a network: multicast, link-local (where clouds
// keep their metadata), unspecified.
func reachable(a netip.Addr) bool {
	return a.IsGlobalUnicast() || a.IsLoopback()
}

func addressesOf(host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupLimit)
	defer cancel()
	addresses, err := resolve(ctx, host)
	if err == nil && len(addresses) == 0 {
		err = fmt.Errorf("no address")
	}
	return addresses, err
}

func join(addresses []netip.Addr) string {
	out := make([]string, 0, len(addresses))
	for _, a := range addresses {
		out = append(out, a.String())
	}
	return strings.Join(out, ", ")
}

var (
	word       = regexp.MustCompile(`[A-Za-z0-9]+`)
	production = []string{"prod", "production", "prd", "live"}
	// liveKey is a key that says what it is; random is one that only says that it is live, and must not be a name.
	liveKey = regexp.MustCompile(`(?i)(^|[^a-z0-9])(sk|rk|pk|rzp|whsec|key)[_-]live[_-][a-z0-9]{4}`)
	random  = regexp.MustCompile(`(?i)(^|[^a-z0-9])live[_-]([a-z0-9_-]*)`)
	longRun = regexp.MustCompile(`[A-Za-z0-9]{12,}`)
)

// looksLive tells whether a text holds what looks like a live key: "sk_live_…", or "live_" before a long run of letters and
// digits in which both occur. "live-demo1" is a name.
func looksLive(text string) bool {
	if liveKey.MatchString(text) {
		return true
	}
	for _, m := range random.FindAllStringSubmatch(text, -1) {
		for _, r := range longRun.FindAllString(m[2], -1) {
			if strings.ContainsAny(r, "0123456789") && strings.Trim(r, "0123456789") != "" {
				return true
			}
		}
	}
	return false
}

// name refuses what is called production.
func (h *hostCheck) name(at, name string) {
	for _, w := range word.FindAllString(name, -1) {
		if slices.Contains(production, strings.ToLower(w)) {
			h.add(at, fmt.Sprintf("%s, which looks like production (%q)", quote(name), w), "a test environment: every scenario writes, and some kill")
			return
		}
	}
}

func (h *hostCheck) database(at, dsn string) {
	t, err := template.Parse(dsn)
	if err != nil {
		return // told by Parse
	}
	text, err := t.Expand(template.Vars{Dir: "/d", Port: "1", Env: h.config.Env})
	if err != nil {
		return
	}
	p, err := pgx.ParseConfig(text)
	if err != nil {
		return
	}
	h.name(at, p.Database)
	hosts := []string{p.Host}
	for _, f := range p.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	slices.Sort(hosts)
	for _, host := range slices.Compact(hosts) {
		if !strings.HasPrefix(host, "/") { // a socket is on this machine
			h.host(at, host)
		}
	}
}

// keys looks for keys that look live in every text of the file and in the environment variables it names.
func (h *hostCheck) keys() {
	h.liveIn(h.d.root, "")
	for name, value := range h.config.Env {
		if looksLive(value) {
			h.add("", "what looks like a live key in ${"+name+"}", "a test key")
		}
	}
}

func (h *hostCheck) liveIn(value any, at string) {
	switch value := value.(type) {
	case string:
		if looksLive(value) {
			h.add(at, "what looks like a live key", "a test key")
		}
	case []any:
		for i, item := range value {
			h.liveIn(item, below(at, i))
		}
	case map[string]any:
		for name, member := range value {
			h.liveIn(member, below(at, name))
		}
	}
}

// host is the host of the target's URL, or empty.
func (c *Config) host() string { return c.hostOf(c.Target.URL) }

func (c *Config) hostOf(configured string) string {
	t, err := template.Parse(configured)
	if err != nil {
		return ""
	}
	text, err := t.Expand(template.Vars{Port: "1", Env: c.Env})
	if err != nil {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Loopback tells whether a host is this machine.
func Loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}
