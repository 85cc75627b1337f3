package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Upstream is where a wire leads.
type Upstream struct {
	// Addr is host:port.
	Addr string
	// TLS, if not nil, is how the wire speaks to the upstream. The client always speaks plain text to the wire, so that faults
	// act on the bytes of the exchange and not on TLS records. An empty ServerName is taken from Addr.
	TLS *tls.Config
	// Find, if not nil, is asked for the address at every dial, in place of Addr: for an upstream that moves, as a container
	// does whose port is chosen anew at each start. An error is one of dialling. Addr is then for people only.
	Find func() (addr string, err error)
}

// Links owns the wires and relays of one run. Make one with New.
type Links struct {
	server *toxiproxy.ApiServer // never listens: proxies only need one to belong to

	mu     sync.Mutex
	open   map[closer]struct{}
	closed bool
}

// New returns an empty set of links. It starts nothing and opens nothing.
func New() *Links {
	register()
	return &Links{
		server: toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		open:   map[closer]struct{}{},
	}
}

// Open starts a wire to the upstream and returns once it can be dialled. The context bounds the opening only; the wire lives
// until Wire.Close or Links.Close. The upstream is not dialled before a client dials the wire.
func (l *Links) Open(ctx context.Context, up Upstream, plan Plan) (*Wire, error) {
	return l.wire(ctx, up, plan, nil)
}

func (l *Links) wire(ctx context.Context, up Upstream, plan Plan, b *behind) (*Wire, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("wire to %s: %w", up.Addr, err)
	}
	if err := plan.check(); err != nil {
		return nil, fmt.Errorf("wire to %s: %w", up.Addr, err)
	}
	host, port, err := net.SplitHostPort(up.Addr)
	if err != nil || port == "" {
		return nil, fmt.Errorf("wire: upstream %q: want host:port", up.Addr)
	}

	w := newWire(plan)
	w.behind = b
	w.forget = func() { l.forget(w) }
	addr := up.Addr
	if up.TLS != nil || up.Find != nil || !loopback(host) {
		if w.bridge, err = openBridge(up, host, &w.ledger); err != nil {
			return nil, fmt.Errorf("wire to %s: %w", up.Addr, err)
		}
		addr = w.bridge.addr()
	}
	if err := w.start(l.server, addr); err != nil {
		w.Close()
		return nil, fmt.Errorf("wire to %s: %w", up.Addr, err)
	}
	if !l.remember(w) {
		w.Close()
		return nil, errors.New("wire: the links are closed already")
	}
	return w, nil
}

// closer is a wire or a relay.
type closer interface{ Close() }

// Close closes every wire and relay that is still open. Open and Relay fail from then on.
func (l *Links) Close() {
	l.mu.Lock()
	l.closed = true
	open := make([]closer, 0, len(l.open))
	for w := range l.open {
		open = append(open, w)
	}
	l.mu.Unlock()

	var all sync.WaitGroup
	for _, w := range open {
		all.Go(w.Close)
	}
	all.Wait()
}

func (l *Links) remember(w closer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.open[w] = struct{}{}
	return true
}

func (l *Links) forget(w closer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, w)
}

// loopback reports whether a dial is answered or refused at once. Toxiproxy dials in its accept loop without a limit, which
// would make closing a wire wait for a silent host; such hosts are dialled by a bridge instead.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var lastID atomic.Uint64
