package provider_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/mockapi/provider"
)

func TestLargeBodyBooksAndIsRecordedInPart(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	wants(t, do(g, "POST", "/", "k", strings.Repeat("x", 3<<20)), 201, "")
	if c := g.Calls(nil)[0]; len(c.Body) != 1<<20 || c.BodyBytes != 3<<20 || !c.Booked {
		t.Errorf("recorded %d of %d bytes, booked %v", len(c.Body), c.BodyBytes, c.Booked)
	}
}

func TestBodyThatIsTooLargeBooksNothing(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	request := httptest.NewRequest("POST", "/", io.LimitReader(zeros{}, 1<<40))
	recorder := httptest.NewRecorder()
	g.ServeHTTP(recorder, request)
	if recorder.Code != 413 {
		t.Errorf("got %d", recorder.Code)
	}

	keyed := listen(t, provider.Options{Key: provider.KeyAt{Body: "/k"}})
	wants(t, do(keyed, "POST", "/", "", `{"k":"`+strings.Repeat("x", 2<<20)+`"}`), 413, "")
	books(t, g, 0)
	books(t, keyed, 0)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestRequestThatNeverBecomesWholeBooksNothing(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	c, err := net.Dial("tcp", strings.TrimPrefix(g.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "POST /book HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: 10\r\n\r\nhalf")
	c.Close()
	calls, err := g.WaitCalls(soon(t), func(c provider.Call) bool { return c.Ended }, 1)
	if err != nil || calls[0].Refused == "" || calls[0].Key != "" {
		t.Errorf("got %+v, %v", calls, err)
	}
	books(t, g, 0)
}

func TestHugeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	wants(t, do(g, "POST", "/", strings.Repeat("k", 200<<10), "{}"), 431, "")
	books(t, g, 0)
}

// A target is not to be blamed for a ledger that is full: it is served as before, and nothing grows without end.
func TestFullLedgerServesWhatItCannotRecord(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]provider.Options{
		"calls": {MaxCalls: 3},
		"bytes": {MaxBytes: 3*1200 + 600},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := listen(t, o)
			for i := range 3 {
				wants(t, do(g, "POST", "/", fmt.Sprint("k", i), strings.Repeat("x", 1000)), 201, "")
			}
			first, again := do(g, "POST", "/", "k9", strings.Repeat("x", 1000)), do(g, "POST", "/", "k9", strings.Repeat("x", 1000))
			wants(t, first, 201, "")
			wants(t, again, 201, first.body)
			books(t, g, 3)
			if g.Unrecorded() != 2 {
				t.Errorf("%d unrecorded, want 2", g.Unrecorded())
			}
			if o.MaxCalls == 0 {
				return
			}
			for i := range 10 * o.MaxCalls {
				wants(t, do(g, "POST", "/", fmt.Sprint("late", i), "{}"), 201, "")
			}
			if n := provider.Remembered(g); n > 2*o.MaxCalls {
				t.Errorf("%d keys are remembered, at most %d should be", n, 2*o.MaxCalls)
			}
		})
	}
}

func TestConcurrentCallsWithOneKeyBookOnce(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{})
	server := httptest.NewServer(g)
	defer server.Close()
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			r, _ := http.NewRequest("POST", server.URL, nil)
			r.Header.Set("Idempotency-Key", fmt.Sprint("k", i%3))
			if response, err := server.Client().Do(r); err != nil {
				t.Error(err)
			} else {
				response.Body.Close()
			}
		})
	}
	all.Wait()
	books(t, g, 3)
	if calls := g.Calls(func(c provider.Call) bool { return c.Repeat }); len(calls) != 57 {
		t.Errorf("%d repeats, want 57", len(calls))
	}
}

func TestContainsAny(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call   provider.Call
		values []string
		want   bool
	}{
		"body":      {provider.Call{Body: []byte(`{"t":"m-1"}`)}, []string{"m-1"}, true},
		"key":       {provider.Call{Key: "op:m-1"}, []string{"m-0", "m-1"}, true},
		"path":      {provider.Call{Path: "/x/m-1/y"}, []string{"m-1"}, true},
		"query":     {provider.Call{Query: "a=m%2D1"}, []string{"m-1"}, true},
		"bad query": {provider.Call{Query: "a=%zzm-1"}, []string{"m-1"}, true},
		"header":    {provider.Call{Header: http.Header{"X-Ref": {"a", "m-1"}}}, []string{"m-1"}, true},
		"elsewhere": {provider.Call{Body: []byte("m-2"), Method: "m-1"}, []string{"m-1"}, false},
		"no value":  {provider.Call{Body: []byte("m-2")}, []string{""}, false},
		"no values": {provider.Call{Body: []byte("m-2")}, nil, false},
	} {
		if got := provider.ContainsAny(c.values...)(c.call); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if provider.KeyIn("")(provider.Call{}) {
		t.Error("a call without a key has a key in the set")
	}
	if !provider.Either(provider.KeyIn("a"), provider.KeyIn("b"))(provider.Call{Key: "b"}) {
		t.Error("either: neither")
	}
}
