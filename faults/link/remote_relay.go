package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
)

// RemoteRelay is a [Relay] on a Remote. Its faults are the server's own toxics and hit all connections at once. Nothing here
// sees what passes, so nothing can be held at a chosen moment, and only others show what a fault did.
type RemoteRelay struct {
	// Addr is the host:port to dial instead of the upstream, as it is seen from here.
	Addr string

	remote *Remote
	proxy  *toxiproxy.Proxy

	mu     sync.Mutex
	toxics []string // of what is wrong with it now
}

// Relay makes a relay to the upstream, as Lead makes a proxy.
func (r *Remote) Relay(ctx context.Context, listen, upstream string) (*RemoteRelay, error) {
	proxy, err := r.lead(ctx, listen, upstream)
	if err != nil {
		return nil, err
	}
	addr, err := r.dialled(proxy)
	if err != nil {
		return nil, err
	}
	return &RemoteRelay{Addr: addr, remote: r, proxy: proxy}, nil
}

// Cut takes all connections away, and turns new ones away until Mend. It returns once somebody who dials is turned away.
func (f *RemoteRelay) Cut(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.save(ctx, f.proxy.Disable); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", f.Addr)
	switch {
	case err == nil:
		conn.Close()
		return fmt.Errorf("toxiproxy %s: its proxy at %s takes connections although it was disabled", f.remote.url, f.Addr)
	case !errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("toxiproxy %s: its proxy at %s was disabled, but is not seen to turn connections away: %w", f.remote.url, f.Addr, err)
	}
	return nil
}

// Mend ends a Cut.
func (f *RemoteRelay) Mend(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.save(ctx, f.proxy.Enable)
}

// Delay lets everything arrive that much later, both ways. 0 ends it.
func (f *RemoteRelay) Delay(ctx context.Context, by time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.clear(ctx); err != nil || by <= 0 {
		return err
	}
	return f.both(ctx, "latency", toxiproxy.Attributes{"latency": by.Milliseconds()})
}

// Silence takes what is sent, both ways, and hands nothing on, until Speak.
func (f *RemoteRelay) Silence(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.clear(ctx); err != nil {
		return err
	}
	return f.both(ctx, "timeout", toxiproxy.Attributes{"timeout": 0})
}

// Speak ends a Silence. What was sent meanwhile is lost, and the connections are taken away.
func (f *RemoteRelay) Speak(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clear(ctx)
}

// both adds a toxic each way. The caller holds the lock, as for the methods below.
func (f *RemoteRelay) both(ctx context.Context, kind string, attributes toxiproxy.Attributes) error {
	for _, stream := range []string{"upstream", "downstream"} {
		if err := f.remote.toxic(ctx, f.proxy, kind, stream, attributes); err != nil {
			return errors.Join(err, f.clear(ctx))
		}
		f.toxics = append(f.toxics, kind+"-"+stream)
	}
	return nil
}

func (f *RemoteRelay) clear(ctx context.Context) error {
	for len(f.toxics) > 0 {
		last := f.toxics[len(f.toxics)-1]
		if err := f.save(ctx, func() error { return f.proxy.RemoveToxic(last) }); err != nil {
			return err
		}
		f.toxics = f.toxics[:len(f.toxics)-1]
	}
	return nil
}

func (f *RemoteRelay) save(ctx context.Context, change func() error) error {
	if _, err := called(ctx, func() (struct{}, error) { return struct{}{}, change() }); err != nil {
		return fmt.Errorf("toxiproxy %s: its proxy at %s: %w", f.remote.url, f.Addr, err)
	}
	return nil
}
