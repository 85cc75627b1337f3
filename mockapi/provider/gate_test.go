package provider_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/mockapi/provider"
)

// A server that answered before it had read all of a request lingers for half a second, which is longer than goleak waits.
func TestMain(m *testing.M) {
	leaktest.Main(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// patience is how long a test waits for an event that is certain to come.
const patience = 20 * time.Second

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func listen(t *testing.T, o provider.Options) *provider.Gate {
	t.Helper()
	g, err := provider.Listen("", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// reply is what a caller got: err if nothing.
type reply struct {
	status int
	body   string
	header http.Header
	err    error
}

// do makes one call on a connection of its own.
func do(g *provider.Gate, method, path, key, body string) reply {
	request, err := http.NewRequest(method, g.URL()+path, strings.NewReader(body))
	if err != nil {
		return reply{err: err}
	}
	request.GetBody = nil // the client is not to repeat a call on its own
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport, Timeout: patience}).Do(request)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, string(data), response.Header, err}
}

func begin(g *provider.Gate, method, path, key, body string) <-chan reply {
	got := make(chan reply, 1)
	go func() { got <- do(g, method, path, key, body) }()
	return got
}

func wants(t *testing.T, got reply, status int, body string) {
	t.Helper()
	if got.err != nil || got.status != status || body != "" && got.body != body {
		t.Errorf("got %d %s (error %v), want %d %s", got.status, got.body, got.err, status, body)
	}
}

func wantsNothing(t *testing.T, got reply) {
	t.Helper()
	if got.err == nil {
		t.Errorf("got %d %s, want no answer", got.status, got.body)
	}
}

func books(t *testing.T, g *provider.Gate, n int) {
	t.Helper()
	if got := g.Bookings(nil); len(got) != n {
		t.Errorf("%d bookings, want %d: %+v", len(got), n, g.Calls(nil))
	}
}

func TestNewKeyBooksAnewAndTheSameKeyIsAnsweredTheSame(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	wants(t, do(g, "POST", "/book", "k1", "{}"), 201, `{"id":"bk_1","key":"k1"}`)
	wants(t, do(g, "POST", "/book", "k1", "{}"), 201, `{"id":"bk_1","key":"k1"}`)
	wants(t, do(g, "PUT", "/elsewhere", `"k1"`, "{}"), 201, `{"id":"bk_1","key":"k1"}`)
	wants(t, do(g, "POST", "/book", "k2", "{}"), 201, `{"id":"bk_2","key":"k2"}`)
	wants(t, do(g, "POST", "/book", "", "{}"), 201, `{"id":"bk_3","key":""}`)
	wants(t, do(g, "POST", "/book", "", "{}"), 201, `{"id":"bk_4","key":""}`)
	books(t, g, 4)

	calls := g.Calls(provider.KeyIn("k1"))
	if len(calls) != 3 {
		t.Fatalf("calls with k1: %+v", calls)
	}
	for i, c := range calls {
		if c.Booked != (i == 0) || c.Repeat != (i > 0) || c.BookingID != "bk_1" || c.Status != 201 || !c.Ended || c.Seq != i+1 {
			t.Errorf("call %d: %+v", i, c)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	wants(t, do(g, "GET", "/bookings/a%2Fb", "", ""), 404, "")
	wants(t, do(g, "POST", "/bookings", "a/b", "{}"), 201, "")
	wants(t, do(g, "GET", "/bookings/a%2Fb", "", ""), 200, `{"id":"bk_1","key":"a/b"}`)
	wants(t, do(g, "GET", "/bookings/a%2Fb/", "", ""), 200, `{"id":"bk_1","key":"a/b"}`)
	wants(t, do(g, "HEAD", "/a%2Fb", "", ""), 200, "")
	wants(t, do(g, "GET", "/", "", ""), 404, "")
	books(t, g, 1)
	lookups := g.Calls(func(c provider.Call) bool { return c.Lookup })
	if len(lookups) != 5 || lookups[1].Key != "a/b" || lookups[1].BookingID != "bk_1" || lookups[0].BookingID != "" {
		t.Errorf("lookups: %+v", lookups)
	}
}

func TestWhereTheKeyIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at                 provider.KeyAt
		path, header, body string
		want               string
	}{
		"default header":         {provider.KeyAt{}, "/", "k", "", "k"},
		"other header":           {provider.KeyAt{Header: "User-Agent"}, "/", "", "", "Go-http-client/1.1"},
		"query":                  {provider.KeyAt{Query: "token"}, "/?token=k%20k", "ignored", "", "k k"},
		"body":                   {provider.KeyAt{Body: "/meta/ref"}, "/", "ignored", `{"meta":{"ref":"k"}}`, "k"},
		"body number":            {provider.KeyAt{Body: "/meta/0"}, "/", "", `{"meta":[17]}`, "17"},
		"body without it":        {provider.KeyAt{Body: "/meta/ref"}, "/", "ignored", `{"meta":{}}`, ""},
		"body that is not JSON":  {provider.KeyAt{Body: "/meta/ref"}, "/", "", `meta`, ""},
		"body with an object":    {provider.KeyAt{Body: "/meta"}, "/", "", `{"meta":{}}`, ""},
		"body with escaped name": {provider.KeyAt{Body: "/a~1b~0"}, "/", "", `{"a/b~":"k"}`, "k"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := listen(t, provider.Options{Key: c.at})
			wants(t, do(g, "POST", c.path, c.header, c.body), 201, "")
			if calls := g.Calls(nil); len(calls) != 1 || calls[0].Key != c.want {
				t.Errorf("key: %+v, want %q", calls, c.want)
			}
		})
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]provider.Options{
		"choose one":          {Key: provider.KeyAt{Header: "A", Query: "b"}},
		"no JSON Pointer":     {Key: provider.KeyAt{Body: "id"}},
		"negative":            {MaxCalls: -1},
		"start with /":        {Routes: []provider.Route{{Path: "x"}}},
		"want 200 to 599":     {Routes: []provider.Route{{Path: "/x", Status: 99}}},
		"{nope} is unknown":   {Routes: []provider.Route{{Path: "/x", Body: `{"a":"{nope}"}`}}},
		"no segment {b}":      {Routes: []provider.Route{{Path: "/x/{a}", Body: `{path:b}`}}},
		"want a JSON Pointer": {Routes: []provider.Route{{Path: "/x", Headers: map[string]string{"A": "{body:x}"}}}},
	} {
		if _, err := provider.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	_, err := provider.Listen(strings.TrimPrefix(g.URL(), "http://"), provider.Options{})
	if err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("got %v", err)
	}
}

func TestWaitCallsTellsWhatItMissed(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	do(g, "POST", "/", "k", "{}")
	if calls, err := g.WaitCalls(soon(t), nil, 1); err != nil || len(calls) != 1 {
		t.Errorf("got %v, %v", calls, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls, err := g.WaitCalls(ctx, nil, 2)
	if !errors.Is(err, context.Canceled) || len(calls) != 1 {
		t.Errorf("got %v, %v", calls, err)
	}
}

func TestCloseEndsHeldCalls(t *testing.T) {
	t.Parallel()
	for _, when := range []provider.When{provider.BeforeBooking, provider.AfterBooking} {
		g := listen(t, provider.Options{})
		hold := g.Hold(when, nil, 0)
		one, two := begin(g, "POST", "/", "k1", "{}"), begin(g, "POST", "/", "k2", "{}")
		if _, err := hold.AllArrived(soon(t), 2); err != nil {
			t.Fatal(err)
		}
		g.Close()
		g.Close()
		hold.Release()
		wantsNothing(t, <-one)
		wantsNothing(t, <-two)
		books(t, g, map[provider.When]int{provider.BeforeBooking: 0, provider.AfterBooking: 2}[when])
		if g.InProgress() != 0 {
			t.Errorf("%d calls in progress on a closed gate", g.InProgress())
		}
		if c, err := net.Dial("tcp", strings.TrimPrefix(g.URL(), "http://")); err == nil {
			c.Close()
			t.Error("a closed gate still listens")
		}
	}
}
