package link

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/oncespec/oncespec/faults/journal"
)

// endTries is how often a server that does not answer, or refuses, is asked to remove what is ours; endPause is in between.
const (
	endTries = 3
	endPause = 100 * time.Millisecond
)

// end removes one proxy ahead of Close, which tries again where this does not succeed.
func (r *Remote) end(ctx context.Context, name string) {
	if removeProxy(ctx, r.client, name) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.proxies, name)
}

// Close removes the proxies, by their names: to list them takes locks of the server's which a connection that ends badly may
// keep for good. It tries more than once, and may be called more than once.
func (r *Remote) Close(ctx context.Context) error {
	defer letGo()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.noted == nil {
		return nil
	}
	_, unmade := called(ctx, func() (struct{}, error) { r.making.Wait(); return struct{}{}, nil }) // what is made after it was removed would stay
	if err := errors.Join(unmade, again(ctx, func() error { return r.endAll(ctx) })); err != nil {
		return fmt.Errorf("toxiproxy %s: its proxies %s-… cannot be removed: %w", r.url, r.tag, err)
	}
	r.noted.End()
	r.noted = nil
	return nil
}

// endAll removes what is known. The caller holds the lock.
func (r *Remote) endAll(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(r.proxies)) {
		err := removeProxy(ctx, r.client, name)
		if isGone(err) {
			clear(r.proxies)
			return nil
		}
		if err != nil {
			return err
		}
		delete(r.proxies, name)
	}
	return nil
}

// EndRemoteProxy removes the proxies that a dead program left.
func EndRemoteProxy(ctx context.Context, t journal.Thing) error {
	if !strings.HasPrefix(t.Name, "oncespec-") || t.More["url"] == "" {
		return errors.New("it is no proxy of ours")
	}
	defer letGo()
	client := toxiproxy.NewClient(t.More["url"])
	return again(ctx, func() error { return endProxies(ctx, client, t.Name) })
}

// endProxies removes the proxies whose names begin so.
func endProxies(ctx context.Context, client *toxiproxy.Client, tag string) error {
	there, err := called(ctx, client.Proxies)
	if isGone(err) {
		return nil
	}
	for name := range there {
		if err == nil && strings.HasPrefix(name, tag+"-") {
			err = removeProxy(ctx, client, name)
		}
	}
	return err
}

// isGone tells from what a call said that there is no server any more. Its proxies went with it.
func isGone(err error) bool {
	var refused *net.OpError
	return errors.As(err, &refused) && refused.Op == "dial" && !refused.Timeout()
}

// removeProxy removes a proxy, if it is there.
func removeProxy(ctx context.Context, client *toxiproxy.Client, name string) error {
	proxy := client.NewProxy()
	proxy.Name = name
	_, err := called(ctx, func() (struct{}, error) { return struct{}{}, proxy.Delete() })
	var told *toxiproxy.ApiError
	if errors.As(err, &told) && told.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// again does it until it succeeds, a few times.
func again(ctx context.Context, do func() error) (err error) {
	for try := range endTries {
		if try > 0 {
			timer := time.NewTimer(endPause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return err
			}
		}
		if err = do(); err == nil {
			return nil
		}
	}
	return err
}

// letGo closes the idle connections of the official client, which uses the default HTTP client and has no other way.
func letGo() { http.DefaultClient.CloseIdleConnections() }
