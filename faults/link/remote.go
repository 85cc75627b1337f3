package link

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/oncespec/oncespec/faults/journal"
)

const (
	// remoteLimit bounds one call to a Toxiproxy server.
	remoteLimit = 5 * time.Second
	// RemoteProxy is the kind of a proxy on such a server, in the journal.
	RemoteProxy = "toxiproxy proxy"
)

// Remote is a Toxiproxy server that somebody else runs, for upstreams that only it can reach. Each of its proxies of ours is a
// way there and nothing more. The faults are still done by a wire, on this side of it: its own toxics tell nobody what they did,
// and an answer that limit_data swallowed cannot be told from an upstream that never answered. What a wire proves beyond it is
// weaker all the same. Toxiproxy takes a connection before it has one itself, and bytes before it can hand them on; only what
// comes back shows that the upstream was reached, and was given what was sent before.
type Remote struct {
	url    string
	host   string // where its proxies are dialled
	client *toxiproxy.Client

	mu      sync.Mutex
	proxies []remoteProxy
}

type remoteProxy struct {
	proxy *toxiproxy.Proxy
	noted *journal.Entry
}

// DialRemote sees that a Toxiproxy server answers at the URL.
func DialRemote(ctx context.Context, address string) (*Remote, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("toxiproxy %s: expected a URL such as http://127.0.0.1:8474", address)
	}
	version, err := versionOf(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("toxiproxy %s: %w", address, err)
	}
	if !strings.HasPrefix(strings.TrimPrefix(version, "v"), "2.") && version != "git" { // what is built without a version says git
		return nil, fmt.Errorf("toxiproxy %s: it is version %q, expected 2", address, version)
	}
	return &Remote{url: strings.TrimSuffix(address, "/"), host: u.Hostname(), client: toxiproxy.NewClient(strings.TrimSuffix(address, "/"))}, nil
}

// versionOf asks by itself, and follows nobody elsewhere: the official client would.
func versionOf(ctx context.Context, u *url.URL) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("version").String(), nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("it does not answer; is it running? (%w)", errors.Unwrap(err))
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	var said struct {
		Version string `json:"version"`
	}
	if err != nil || answer.StatusCode != http.StatusOK || json.Unmarshal(body, &said) != nil || said.Version == "" {
		return "", fmt.Errorf("what answers there is no Toxiproxy: GET /version was answered %d %.60q", answer.StatusCode, body)
	}
	return said.Version, nil
}

// String names the server.
func (r *Remote) String() string { return r.url }

// Lead makes a proxy to the upstream, as the server knows it, and returns where to dial it. listen is where it listens, as the
// server knows it: host:port, with port 0 for any, or host:first-last for the first of them that is free. The proxy goes with
// Close, or, where this program is killed, with the next one that tidies up.
func (r *Remote) Lead(ctx context.Context, listen, upstream string) (addr string, err error) {
	host, first, last, err := ports(listen)
	if err != nil {
		return "", err
	}
	name := "oncespec-" + strings.ToLower(rand.Text()[:12])
	noted, err := journal.Begin(journal.Thing{Kind: RemoteProxy, Name: name, More: map[string]string{"url": r.url}})
	if err != nil {
		return "", err
	}
	for port := first; port <= last; port++ {
		var proxy *toxiproxy.Proxy
		proxy, err = called(ctx, func() (*toxiproxy.Proxy, error) {
			return r.client.CreateProxy(name, net.JoinHostPort(host, strconv.Itoa(port)), upstream)
		})
		if err == nil {
			r.mu.Lock()
			r.proxies = append(r.proxies, remoteProxy{proxy, noted})
			r.mu.Unlock()
			_, at, err := net.SplitHostPort(proxy.Listen)
			if err != nil {
				return "", fmt.Errorf("toxiproxy %s: its proxy listens at %q", r.url, proxy.Listen)
			}
			return net.JoinHostPort(r.host, at), nil
		}
		if !strings.Contains(err.Error(), "address already in use") {
			break
		}
	}
	if removed := removeProxy(ctx, r.client, name); removed == nil { // it may be there although we were not told
		noted.End()
	}
	return "", fmt.Errorf("toxiproxy %s: a proxy to %s at %s cannot be made: %w", r.url, upstream, listen, err)
}

// ports reads host:port or host:first-last.
func ports(listen string) (host string, first, last int, err error) {
	host, both, err := net.SplitHostPort(listen)
	from, to, several := strings.Cut(both, "-")
	if !several {
		to = from
	}
	if err == nil {
		first, err = strconv.Atoi(from)
	}
	if err == nil {
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 0 || last > 65535 || first > last || several && first == 0 {
		return "", 0, 0, fmt.Errorf("toxiproxy: expected host:port or host:first-last to listen at, found %q", listen)
	}
	return host, first, last, nil
}

// CheckListen tells what Lead would say of where to listen.
func CheckListen(listen string) error {
	_, _, _, err := ports(listen)
	return err
}

// Close removes the proxies. It may be called more than once.
func (r *Remote) Close(ctx context.Context) error {
	r.mu.Lock()
	proxies := r.proxies
	r.proxies = nil
	r.mu.Unlock()
	var errs []error
	for _, p := range proxies {
		if err := removeProxy(ctx, r.client, p.proxy.Name); err != nil {
			errs = append(errs, fmt.Errorf("toxiproxy %s: proxy %s cannot be removed: %w", r.url, p.proxy.Name, err))
			continue
		}
		p.noted.End()
	}
	letGo()
	return errors.Join(errs...)
}

// EndRemoteProxy removes a proxy that a dead program left. Proxies live no longer than their server: where there is none, or
// another, there is nothing to remove.
func EndRemoteProxy(ctx context.Context, t journal.Thing) error {
	if !strings.HasPrefix(t.Name, "oncespec-") || t.More["url"] == "" {
		return errors.New("it is no proxy of ours")
	}
	defer letGo()
	err := removeProxy(ctx, toxiproxy.NewClient(t.More["url"]), t.Name)
	var refused *net.OpError
	if errors.As(err, &refused) && !refused.Timeout() {
		return nil
	}
	return err
}

func removeProxy(ctx context.Context, client *toxiproxy.Client, name string) error {
	_, err := called(ctx, func() (struct{}, error) {
		proxy, err := client.Proxy(name)
		if err == nil {
			err = proxy.Delete()
		}
		return struct{}{}, err
	})
	var told *toxiproxy.ApiError
	if errors.As(err, &told) && told.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// called bounds a call of the client, which knows no context. It ends by itself within half a minute.
func called[T any](ctx context.Context, call func() (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := call()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("it does not answer: %w", context.Cause(ctx))
	}
}

// letGo closes the connections that the client keeps, for whom there is no other way.
func letGo() { http.DefaultClient.CloseIdleConnections() }
