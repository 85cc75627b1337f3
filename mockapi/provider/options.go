package provider

import (
	"fmt"
	"net/http"
	"strings"
)

// Options configure a gate. The zero value is a gate that accepts every method and path, takes the downstream key from the
// Idempotency-Key header and answers a booking with 201 and {"id":"bk_1","key":"…"}.
type Options struct {
	// Key says where calls carry the downstream key.
	Key KeyAt
	// Routes, if any, are the only bookings there are: the first that fits a call answers it, a call that fits none gets 404.
	Routes []Route
	// MaxCalls and MaxBytes (headers and bodies together) bound the ledger. A call beyond them is answered like any other, since
	// the target is not to be blamed for it, but it is not recorded, and counts in Gate.Unrecorded; after twice as many keys a new
	// one is not remembered either. 0 means 20,000 calls and 64 MiB.
	MaxCalls int
	MaxBytes int64
}

// KeyAt names one place of a downstream key: a header, a query parameter, or a JSON Pointer into the body. The zero value is the
// Idempotency-Key header.
type KeyAt struct {
	Header string
	Query  string
	Body   string
}

// Route is one call that the provider offers, and its answer.
//
// Headers and Body are templates: {id} is the booking's id, {key} the downstream key, {body:/pointer} a value of the request
// body, {path:name} what a {name} in Path stood for. Values are escaped as JSON unless Content-Type says that the answer is
// not JSON.
type Route struct {
	// Method that the route is for; empty is any.
	Method string
	// Path, of which a segment may be {name}, which fits any one segment. On GET a segment {key} makes the route a lookup of
	// that downstream key; a GET route without one is a plain read.
	Path string
	// Status of the answer; 0 is 201 for bookings and 200 for the rest.
	Status  int
	Headers map[string]string
	// Body of the answer; empty is {"id":"…","key":"…"} for bookings.
	Body string
	// NoBooking is for calls that change nothing the ledger should count, such as fetching a token.
	NoBooking bool
}

const (
	defaultCalls = 20_000
	defaultBytes = 64 << 20
)

// complete fills in the defaults, and refuses what makes no sense.
func (o Options) complete() (Options, error) {
	places := 0
	for _, place := range []string{o.Key.Header, o.Key.Query, o.Key.Body} {
		if place != "" {
			places++
		}
	}
	switch {
	case places > 1:
		return o, fmt.Errorf("downstream key: %d places given; choose one of header, query and body", places)
	case places == 0:
		o.Key.Header = "Idempotency-Key"
	case o.Key.Body != "" && !strings.HasPrefix(o.Key.Body, "/"):
		return o, fmt.Errorf("downstream key: %q is no JSON Pointer; one starts with /, for example /request_id", o.Key.Body)
	}
	if o.MaxCalls < 0 || o.MaxBytes < 0 {
		return o, fmt.Errorf("downstream ledger: negative bounds (%d calls, %d bytes)", o.MaxCalls, o.MaxBytes)
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = defaultCalls
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultBytes
	}
	for i, route := range o.Routes {
		if err := route.check(); err != nil {
			return o, fmt.Errorf("downstream route %d (%s %s): %w", i+1, route.Method, route.Path, err)
		}
	}
	return o, nil
}

func (r Route) check() error {
	if !strings.HasPrefix(r.Path, "/") {
		return fmt.Errorf("path %q does not start with /", r.Path)
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return fmt.Errorf("status %d; want 200 to 599", r.Status)
	}
	params := r.params()
	for _, template := range append(values(r.Headers), r.Body) {
		if err := checkTemplate(template, params); err != nil {
			return err
		}
	}
	return nil
}

func values(m map[string]string) []string {
	list := make([]string, 0, len(m)+1)
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// params are the names that Path gives to segments.
func (r Route) params() map[string]bool {
	names := map[string]bool{}
	for segment := range strings.SplitSeq(r.Path, "/") {
		if name, ok := param(segment); ok {
			names[name] = true
		}
	}
	return names
}

func param(segment string) (string, bool) {
	if len(segment) > 2 && segment[0] == '{' && segment[len(segment)-1] == '}' {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}

// fits returns what the path's names stand for, if the route is for this method and path.
func (r Route) fits(method string, segments []string) (map[string]string, bool) {
	if r.Method != "" && !strings.EqualFold(r.Method, method) && (method != http.MethodHead || !strings.EqualFold(r.Method, http.MethodGet)) {
		return nil, false
	}
	want := strings.Split(r.Path, "/")
	if len(want) != len(segments) {
		return nil, false
	}
	params := map[string]string{}
	for i, segment := range want {
		if name, ok := param(segment); ok && segments[i] != "" {
			params[name] = segments[i]
		} else if segment != segments[i] {
			return nil, false
		}
	}
	return params, true
}
