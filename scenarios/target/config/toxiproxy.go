package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/oncespec/oncespec/faults/link"
)

// Toxiproxy is a Toxiproxy server that somebody else runs. All that is sent to the target goes through proxies of ours on it,
// which go with the run. target.url and target.replicas are then what the server reaches, by the names that it knows; what the
// target is not seen to answer is not known to have reached it, and what needs that is not assessed.
type Toxiproxy struct {
	URL    string `json:"url" jsonschema:"required,minLength=1"` // of its HTTP API, such as http://127.0.0.1:8474
	Listen string `json:"listen,omitempty"`                      // where its proxies listen, as it knows it: host:port (0: any) or host:first-last; default: any port, on loopback where the server is on this machine, else everywhere
}

func (k *checker) toxiproxy(t *Toxiproxy) {
	const at = "/toxiproxy"
	u, err := url.Parse(t.URL)
	if t.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil) {
		k.add(at+"/url", quote(t.URL), "a URL such as http://127.0.0.1:8474")
	}
	if t.Listen != "" && link.CheckListen(t.Listen) != nil {
		k.add(at+"/listen", quote(t.Listen), "host:port, such as 0.0.0.0:0, or host:first-last, such as 0.0.0.0:21000-21009")
	}
	if c := k.config.Target.Lifecycle; c != nil && c.Container != nil && c.Container.Port != 0 && strings.Contains(k.config.Target.URL, "{port}") {
		k.add("/target/url", "a port that Docker chooses at each start", "one that stays, since the proxy leads to it")
	}
	for n, url := range append([]string{k.config.Target.URL}, k.config.Target.Replicas...) {
		if host := k.config.hostOf(url); host != "" && k.has(instanceAt(n)) && !namesPort(url) {
			k.add(instanceAt(n), "no port", "one, such as http://"+host+":8080, which the proxy leads to")
		}
	}
}

func namesPort(configured string) bool {
	u, err := url.Parse(strings.ReplaceAll(configured, "{port}", "1"))
	return err != nil || u.Port() != ""
}

// toxiproxy holds the server to the rules for hosts, and what is behind it: names that only it can resolve.
func (h *hostCheck) toxiproxy() {
	u, err := url.Parse(h.config.Toxiproxy.URL)
	if err != nil {
		return // told by Parse
	}
	h.host("/toxiproxy/url", u.Hostname())
	for n, url := range append([]string{h.config.Target.URL}, h.config.Target.Replicas...) {
		h.behind(instanceAt(n), h.config.hostOf(url))
	}
}

// behind is host for a name that is not resolved here: on the server's own machine, or named.
func (h *hostCheck) behind(at, host string) {
	if host == "" {
		return
	}
	h.name(at, host)
	a, err := netip.ParseAddr(host)
	named := h.named(host)
	switch {
	case Loopback(host):
	case err == nil && !reachable(a.Unmap()):
		h.add(at, "the host "+host, "an address of a host")
	case !named:
		h.add(at, "the host "+host+", behind the Toxiproxy", "one on the Toxiproxy's machine, or one that allow_hosts names, with --allow-remote given")
	case !h.remote:
		h.add(at, "the host "+host+", which is not this machine", "--allow-remote to be given too: writes would be sent there")
	}
}

// ListenAt is where the server's proxies listen.
func (t *Toxiproxy) ListenAt() string {
	if t.Listen != "" {
		return t.Listen
	}
	if u, err := url.Parse(t.URL); err == nil && Loopback(u.Hostname()) {
		return net.JoinHostPort("127.0.0.1", "0")
	}
	return net.JoinHostPort("0.0.0.0", "0")
}
