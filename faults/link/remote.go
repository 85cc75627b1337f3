package link

import (
	"bytes"
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
	"golang.org/x/mod/semver"

	"github.com/oncespec/oncespec/faults/journal"
)

// RemoteProxy is the kind of a proxy on a Toxiproxy server of somebody else's, in the journal.
const RemoteProxy = "toxiproxy proxy"

// remoteLimit bounds one call to such a server.
var remoteLimit = 5 * time.Second

// Remote is a Toxiproxy server that somebody else runs, for upstreams that only it can reach. Each of its proxies of ours is a
// way there. What befalls an answer is still done by a wire, on this side of it, which sees the bytes: the server's own toxics
// tell nobody what they did, and an answer that limit_data swallowed cannot be told from an upstream that never answered. What
// befalls a request is decided over there: see [Links.OpenBehind]. What a wire proves beyond the server is weaker all the
// same. Toxiproxy takes a connection before it has one itself, and bytes before it can hand them on; what comes back shows
// that the upstream was reached, and was given what was sent before, as do the server's counters, where it keeps any.
type Remote struct {
	// Counts tells that the server keeps counters, as it does when it is told to.
	Counts bool

	url    string
	host   string // where its proxies are dialled
	client *toxiproxy.Client
	tag    string // begins the names of its proxies of ours

	making sync.WaitGroup // calls that make proxies, also those that nobody waits for any more

	mu      sync.Mutex
	last    int                         // number of the last name
	proxies map[string]*toxiproxy.Proxy // by name; nil: it may be there, although we were not told
	noted   *journal.Entry              // nil: there are none yet
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
	if !speaks(version) {
		return nil, fmt.Errorf("toxiproxy %s: it is version %q, expected 2, from %s on", address, version, oldest)
	}
	address = strings.TrimSuffix(address, "/")
	r := &Remote{url: address, host: u.Hostname(), client: toxiproxy.NewClient(address), tag: "oncespec-" + strings.ToLower(rand.Text()[:12]), proxies: map[string]*toxiproxy.Proxy{}}
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	_, r.Counts = r.counters(ctx, "")
	return r, nil
}

// oldest is the first version that answers as is expected here.
const oldest = "2.2.0"

// speaks tells whether a server of the version is spoken to as one of the oldest is. What is built without a version says git.
func speaks(version string) bool {
	if version == "git" {
		return true
	}
	v := "v" + strings.TrimPrefix(version, "v")
	return semver.Major(v) == "v2" && semver.Compare(v, "v"+oldest) >= 0
}

// versionOf asks by itself, and follows nobody elsewhere: the official client would.
func versionOf(ctx context.Context, u *url.URL) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("version").String(), nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: stay}
	answer, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("it does not answer; is it running? (%w)", errors.Unwrap(err))
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	var said struct {
		Version string `json:"version"`
	}
	if plain := strings.TrimSpace(string(body)); err == nil && answer.StatusCode == http.StatusOK && semver.IsValid("v"+plain) {
		return plain, nil // as old ones say it
	}
	// Only the first value is read: up to 2.6, what follows it is no JSON.
	if err != nil || answer.StatusCode != http.StatusOK || json.NewDecoder(bytes.NewReader(body)).Decode(&said) != nil || said.Version == "" {
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
	proxy, err := r.lead(ctx, listen, upstream)
	if err != nil {
		return "", err
	}
	return r.dialled(proxy)
}

// dialled is where a proxy is dialled from here.
func (r *Remote) dialled(proxy *toxiproxy.Proxy) (addr string, err error) {
	_, port, err := net.SplitHostPort(proxy.Listen)
	if err != nil {
		return "", fmt.Errorf("toxiproxy %s: its proxy listens at %q", r.url, proxy.Listen)
	}
	return net.JoinHostPort(r.host, port), nil
}

func (r *Remote) lead(ctx context.Context, listen, upstream string) (*toxiproxy.Proxy, error) {
	host, first, last, err := ports(listen)
	if err != nil {
		return nil, err
	}
	name, err := r.name()
	if err != nil {
		return nil, err
	}
	for port, names := first, 1; port <= last; {
		var proxy *toxiproxy.Proxy
		proxy, err = r.create(ctx, name, net.JoinHostPort(host, strconv.Itoa(port)), upstream)
		var told *toxiproxy.ApiError
		switch {
		case err == nil:
			return proxy, nil
		case errors.As(err, &told) && told.Status == http.StatusConflict && names < mostNames: // somebody else's, who keeps it
			names++
			if name, err = r.name(); err != nil {
				return nil, err
			}
			continue
		case errors.As(err, &told) && told.Status == http.StatusConflict:
			return nil, fmt.Errorf("toxiproxy %s: a proxy to %s cannot be made: names such as %s are taken: %w", r.url, upstream, name, err)
		case strings.Contains(err.Error(), "address already in use"):
			port++
			continue
		}
		break
	}
	r.end(ctx, name)
	return nil, fmt.Errorf("toxiproxy %s: a proxy to %s at %s cannot be made: %w", r.url, upstream, listen, err)
}

// create makes a proxy of that name, and remembers it from before it is made.
func (r *Remote) create(ctx context.Context, name, listen, upstream string) (*toxiproxy.Proxy, error) {
	r.mu.Lock()
	if r.noted == nil {
		r.mu.Unlock()
		return nil, errors.New("its proxies were removed a moment ago")
	}
	r.proxies[name] = nil
	r.making.Add(1)
	r.mu.Unlock()
	proxy, err := called(ctx, func() (*toxiproxy.Proxy, error) {
		defer r.making.Done()
		return r.client.CreateProxy(name, listen, upstream)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	var told *toxiproxy.ApiError
	switch {
	case err == nil:
		r.proxies[name] = proxy
	case errors.As(err, &told) && told.Status == http.StatusConflict:
		delete(r.proxies, name) // somebody else's
	}
	return proxy, err
}

// mostNames is how many names are tried.
const mostNames = 3

// name is that of the next proxy. All that begin alike are in the journal from the first on.
func (r *Remote) name() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.noted == nil {
		noted, err := journal.Begin(journal.Thing{Kind: RemoteProxy, Name: r.tag, More: map[string]string{"url": r.url}})
		if err != nil {
			return "", err
		}
		r.noted = noted
	}
	r.last++
	return fmt.Sprintf("%s-%d", r.tag, r.last), nil
}

// Check tells what became of the server, or of its proxies of ours.
func (r *Remote) Check(ctx context.Context) error {
	there, err := called(ctx, r.client.Proxies)
	if err != nil {
		return fmt.Errorf("toxiproxy %s: it does not answer any more; was it stopped? (%w)", r.url, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, made := range r.proxies {
		if made != nil && there[name] == nil {
			return fmt.Errorf("toxiproxy %s: the proxy %s of this run is gone; was it started anew, or emptied?", r.url, name)
		}
	}
	return nil
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

// called bounds a call of the official client, which takes no context; the call itself ends within half a minute.
func called[T any](ctx context.Context, call func() (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, remoteLimit)
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
	var none T
	select {
	case o := <-done:
		return o.value, o.err
	case <-limited.Done():
		if ctx.Err() != nil {
			return none, fmt.Errorf("it was not waited for any longer: %w", context.Cause(ctx))
		}
		return none, fmt.Errorf("it does not answer within %v: %w", remoteLimit, context.Cause(limited))
	}
}
