package target

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"

	"golang.org/x/time/rate"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// instance is one running server of the target. The first is always there. Where the run starts them itself, the others are
// there only while a scenario wants them: what every other scenario finds is the one it knows.
type instance struct {
	index int
	what  string // where the configuration names it, such as target.replicas[0]
	base  host
	port  string
	via   string // where a Toxiproxy of somebody else's leads to it; empty: it is reached itself

	find    func() (string, error) // where it is now; nil: always at base.addr
	life    life.Life              // nil: it cannot be killed
	managed bool                   // the run started it itself

	reader *http.Client // of the probes
	idle   idle         // connections past the fault links

	mu    sync.Mutex // guards the fields below
	state standing
	http2 *bool // whether it speaks HTTP/2; nil: nobody asked
}

// standing is how an instance stands, as far as the run has a hand in it.
type standing int

const (
	serving standing = iota
	still            // told to stand still, and not resumed
	frozen           // it did
	down             // killed or stopped, and not started again
)

func (t *Target) first() *instance { return t.instances[0] }

// instance is the one with the number; an error tells how many there are.
func (t *Target) instance(index int) (*instance, error) {
	if index < 0 || index >= len(t.instances) {
		return nil, fmt.Errorf("instance %d: the target has %d (target.url and target.replicas)", index, len(t.instances))
	}
	return t.instances[index], nil
}

// place finds out where the target's instances are, or will be.
func (t *Target) place(ctx context.Context, allowRemote bool) error {
	remote := false
	for n, url := range append([]string{t.cfg.Target.URL}, t.cfg.Target.Replicas...) {
		i := &instance{index: n, what: "target.url " + url}
		if n > 0 {
			i.what = fmt.Sprintf("target.replicas[%d] %s", n-1, url)
		}
		if err := t.placeOne(ctx, i, url, allowRemote); err != nil {
			return err
		}
		t.instances = append(t.instances, i)
		remote = remote || i.base.remote
	}
	limit := rate.Limit(t.cfg.Limits.Rate)
	if t.cfg.Limits.Rate == 0 {
		if limit = rate.Inf; remote {
			limit = remoteRate
		}
	}
	t.limiter = rate.NewLimiter(limit, 1)
	return nil
}

func (t *Target) placeOne(ctx context.Context, i *instance, configured string, allowRemote bool) error {
	parsed, err := template.ParseURL(configured)
	if err != nil {
		return &ConfigurationError{What: i.what, Err: err}
	}
	chosen := slices.ContainsFunc(parsed.Placeholders(), func(p template.Placeholder) bool { return p.Name == "port" })
	moves := chosen && t.moves()
	switch {
	case moves:
		i.port = "0" // until it is started
	case chosen:
		port, err := life.FreePort()
		if err != nil {
			return &EnvironmentError{What: "port for the target", Err: err}
		}
		i.port = fmt.Sprint(port)
	}
	url, err := parsed.Expand(t.varsOf(i))
	if err != nil {
		return &ConfigurationError{What: i.what, Err: err}
	}
	if t.cfg.Toxiproxy != nil {
		i.base, err = unresolved(i.what, url)
	} else {
		i.base, err = resolve(ctx, t.cfg, i.what, url, allowRemote)
	}
	if err != nil {
		return err
	}
	if _, port, err := net.SplitHostPort(i.base.addr); err == nil && !chosen {
		i.port = port
	}
	i.reader = t.newReader(i)
	return nil
}

func (i *instance) upstream() link.Upstream {
	return link.Upstream{Addr: cmp.Or(i.via, i.base.addr), TLS: i.base.tlsConfig(), Find: i.find}
}

// moves tells whether Docker chooses the port of the instances, anew at each start.
func (t *Target) moves() bool { return t.container() != nil && t.container().Port != 0 }

// addr is where the instance is now.
func (i *instance) addr() (string, error) {
	switch {
	case i.via != "":
		return i.via, nil
	case i.find != nil:
		return i.find()
	}
	return i.base.addr, nil
}

// name is how the instance is named in requests. One that is nowhere goes by the name it had before it was started.
func (i *instance) name() string {
	addr, err := i.addr()
	if err != nil || i.find == nil {
		return i.base.name
	}
	_, port, _ := net.SplitHostPort(addr)
	return net.JoinHostPort(i.base.hostname, port)
}

func (i *instance) accepts(ctx context.Context) error {
	addr, err := i.addr()
	if err != nil {
		return err
	}
	if i.via != "" {
		return keeps(ctx, addr) // Toxiproxy takes any connection, and ends those that it cannot carry on
	}
	return accepts(ctx, addr)
}

func (i *instance) dial(ctx context.Context, network string) (net.Conn, error) {
	addr, err := i.addr()
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

func (i *instance) close() error {
	if i.life == nil {
		return nil
	}
	return i.life.Close()
}

func (i *instance) stands() standing {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.state
}

func (i *instance) becomes(s standing) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.state = s
}

// responder is the instance that probes ask: the first that serves.
func (t *Target) responder() *instance {
	for _, i := range t.instances {
		if i.stands() == serving {
			return i
		}
	}
	return t.first()
}

// onDemand tells whether the instance is there only while a scenario wants it.
func (i *instance) onDemand() bool { return i.index > 0 && i.managed }

// name is how people know the instance.
func (t *Target) name(i *instance) string {
	if i.index == 0 {
		return "the target"
	}
	return fmt.Sprintf("the target's instance at target.replicas[%d]", i.index-1)
}

func (i *instance) url() string {
	scheme := "http://"
	if i.base.tls {
		scheme = "https://"
	}
	return scheme + i.name()
}
