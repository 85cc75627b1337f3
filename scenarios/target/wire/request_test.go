package wire_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

func TestARequestIsWrittenByteForByte(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		req  rewrite.Request
		want string
	}{
		{
			"order and case of names are kept, Host comes first, the length last",
			rewrite.Request{Method: "POST", Path: "/v1/tickets", Header: fields("idempotency-KEY", `"k"`, "Content-Type", "application/json"), Body: []byte(`{"a":1}`)},
			"POST /v1/tickets HTTP/1.1\r\nHost: api.test\r\nidempotency-KEY: \"k\"\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
		},
		{
			"a Host of its own keeps its place",
			rewrite.Request{Method: "GET", Path: "/", Header: fields("A", "1", "host", "other.test")},
			"GET / HTTP/1.1\r\nA: 1\r\nhost: other.test\r\n\r\n",
		},
		{
			"path and query stay as they are spelled",
			rewrite.Request{Method: "GET", Path: "/a%2fb/%C3%a4", RawQuery: "q=%20+&q="},
			"GET /a%2fb/%C3%a4?q=%20+&q= HTTP/1.1\r\nHost: api.test\r\n\r\n",
		},
		{
			"a bare question mark",
			rewrite.Request{Method: "GET", Path: "/a", BareMark: true},
			"GET /a? HTTP/1.1\r\nHost: api.test\r\n\r\n",
		},
		{
			"the same field twice",
			rewrite.Request{Method: "GET", Path: "/", Header: fields("K", "1", "K", "2", "K", "")},
			"GET / HTTP/1.1\r\nHost: api.test\r\nK: 1\r\nK: 2\r\nK: \r\n\r\n",
		},
		{
			"control characters in a value",
			rewrite.Request{Method: "GET", Path: "/", Header: fields("Idempotency-Key", "a\x01\x7f\tb\xff")},
			"GET / HTTP/1.1\r\nHost: api.test\r\nIdempotency-Key: a\x01\x7f\tb\xff\r\n\r\n",
		},
		{
			"a POST without a body says so",
			rewrite.Request{Method: "POST", Path: "/"},
			"POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 0\r\n\r\n",
		},
		{
			"an empty body of a DELETE is a body",
			rewrite.Request{Method: "DELETE", Path: "/", Body: []byte{}},
			"DELETE / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 0\r\n\r\n",
		},
		{
			"chunked comes in several chunks",
			rewrite.Request{Method: "POST", Path: "/", Body: []byte("0123456789"), Framing: rewrite.Chunked},
			"POST / HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n4\r\n4567\r\n2\r\n89\r\n0\r\n\r\n",
		},
		{
			"chunked and empty",
			rewrite.Request{Method: "POST", Path: "/", Body: []byte{}, Framing: rewrite.Chunked},
			"POST / HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		},
		{
			"a length that is given is believed",
			rewrite.Request{Method: "POST", Path: "/", Header: fields("Content-Length", "99"), Body: []byte("x")},
			"POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 99\r\n\r\nx",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.Bytes(c.req, "api.test")
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("wrote\n%q, want\n%q", got, c.want)
			}
		})
	}
}

func fields(namesAndValues ...string) []rewrite.Field {
	var out []rewrite.Field
	for i := 0; i < len(namesAndValues); i += 2 {
		out = append(out, rewrite.Field{Name: namesAndValues[i], Value: namesAndValues[i+1]})
	}
	return out
}

func TestWhatWouldBecomeAnotherRequestIsRefused(t *testing.T) {
	t.Parallel()
	ok := rewrite.Request{Method: "GET", Path: "/"}
	with := func(change func(*rewrite.Request)) rewrite.Request {
		r := ok.Clone()
		change(&r)
		return r
	}
	for _, c := range []struct {
		name string
		req  rewrite.Request
		want string
	}{
		{"line feed in a value", with(func(r *rewrite.Request) { r.Header = fields("K", "a\nX: 1") }), `header K "a\nX: 1": found '\n' at byte 1`},
		{"carriage return in a value", with(func(r *rewrite.Request) { r.Header = fields("K", "a\r") }), `header K`},
		{"colon in a name", with(func(r *rewrite.Request) { r.Header = fields("K: 1", "a") }), `header name "K: 1"`},
		{"no name", with(func(r *rewrite.Request) { r.Header = fields("", "a") }), `found no name`},
		{"space in the path", with(func(r *rewrite.Request) { r.Path = "/a b" }), `target "/a b"`},
		{"line feed in the query", with(func(r *rewrite.Request) { r.RawQuery = "a\n" }), `target`},
		{"no method", with(func(r *rewrite.Request) { r.Method = "" }), `request method: found nothing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.Bytes(c.req, "api.test")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestRawBytesTakeWhatBytesRefuse(t *testing.T) {
	t.Parallel()
	got := wire.RawBytes(rewrite.Request{Method: "GET", Path: "/", Header: fields("K", "a\r\nX: 1")}, "h")
	if want := "GET / HTTP/1.1\r\nHost: h\r\nK: a\r\nX: 1\r\n\r\n"; string(got) != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func FuzzChunkedBodiesArriveWhole(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("a"))
	f.Add(bytes.Repeat([]byte("0123456789abcdef"), 300))
	f.Fuzz(func(t *testing.T, body []byte) {
		if body == nil {
			body = []byte{}
		}
		raw := wire.RawBytes(rewrite.Request{Method: "POST", Path: "/", Body: body, Framing: rewrite.Chunked}, "h")
		req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(req.Body)
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("a server reads %q (%v), want %q", got, err, body)
		}
	})
}
