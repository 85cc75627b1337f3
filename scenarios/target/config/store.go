package config

import (
	"net"
	"strings"

	"github.com/oncespec/oncespec/faults/link"
)

// Store is a link between the target and its database that the run can hold, delay and cut: a proxy that the target uses as
// its database's address. TCP only, and whatever the protocol. Where toxiproxy is given, it is a proxy there: both addresses
// are as that server knows them, and it can be cut and slowed, but not held at a chosen moment.
type Store struct {
	Listen   string `json:"listen" jsonschema:"required"`   // host:port; port 0 is filled in as {store}
	Upstream string `json:"upstream" jsonschema:"required"` // the database: host:port
}

func (k *checker) store(s *Store) {
	const at = "/target/store"
	listen, listenPort, err := net.SplitHostPort(s.Listen)
	if k.config.Toxiproxy != nil {
		if s.Listen != "" && link.CheckListen(s.Listen) != nil {
			k.add(at+"/listen", quote(s.Listen), "host:port, such as 0.0.0.0:15432, or host:first-last, where the Toxiproxy listens")
		}
	} else if s.Listen != "" && (err != nil || listen == "" || !isPort(listenPort)) {
		k.add(at+"/listen", quote(s.Listen), "host:port, such as 127.0.0.1:15432, or port 0 for any")
	}
	host, port, err := net.SplitHostPort(s.Upstream)
	switch {
	case s.Upstream == "":
		if k.has(at + "/upstream") {
			k.add(at+"/upstream", "nothing", "where the database is, such as 127.0.0.1:5432")
		}
	case strings.HasPrefix(s.Upstream, "/"):
		k.add(at+"/upstream", quote(s.Upstream), "host:port: a socket in the file system cannot be put a link in front of")
	case err != nil || host == "" || !isPort(port) || strings.Trim(port, "0") == "":
		k.add(at+"/upstream", quote(s.Upstream), "host:port of the database, such as 127.0.0.1:5432")
	case s.Upstream == s.Listen:
		k.add(at+"/upstream", quote(s.Upstream)+", where the link itself listens", "the database")
	}
	if listenPort != "" && strings.Trim(listenPort, "0") == "" && !k.startsTarget() && !k.hasHooks() {
		k.add(at+"/listen", quote(s.Listen)+", a port that nobody is told", "a fixed port: only a target that the run starts (target.lifecycle) learns which was chosen")
	}
}

func (k *checker) hasHooks() bool {
	l := k.config.Target.Lifecycle
	return l != nil && l.Hooks != nil && l.Hooks.Start != ""
}

// store looks at where the link to the database leads.
func (h *hostCheck) store(c *Config) {
	if c.Target.Store == nil {
		return
	}
	if c.Toxiproxy != nil {
		if host, _, err := net.SplitHostPort(c.Target.Store.Upstream); err == nil {
			h.behind("/target/store/upstream", host)
		}
		return
	}
	for at, address := range map[string]string{"/target/store/listen": c.Target.Store.Listen, "/target/store/upstream": c.Target.Store.Upstream} {
		if host, _, err := net.SplitHostPort(address); err == nil {
			h.host(at, host)
		}
	}
}
