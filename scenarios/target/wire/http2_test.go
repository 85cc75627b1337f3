package wire_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

func serveProtocols(t *testing.T, http2 bool, h http.Handler) (addr string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(http2)
	server.Start()
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestARequestIsSentWithHTTP2(t *testing.T) {
	t.Parallel()
	addr := serveProtocols(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %s %s", r.Proto, r.Method, r.RequestURI, r.Host, r.Header.Get("Idempotency-Key")))
		w.WriteHeader(201)
		w.Write(body)
	}))
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	if !wire.SpeaksHTTP2(ctx, dial(t, addr)) {
		t.Fatal("a server that speaks HTTP/2 is not known as one")
	}
	for _, framing := range []rewrite.Framing{rewrite.ContentLength, rewrite.Chunked} {
		r := wire.DoHTTP2(ctx, dial(t, addr), rewrite.Request{Method: "POST", Path: "/a%2Fb", RawQuery: "c=%7e", Header: fields("Idempotency-Key", "k-1"),
			Body: []byte("hello"), Framing: framing}, "api.test", false, wire.Limits{})
		if r.Outcome != history.Answered || r.Answer.Status != 201 || string(r.Answer.Body) != "hello" {
			t.Fatalf("%s: %+v", framing, r)
		}
		if got := r.Answer.Header.Get("X-Seen"); got != "HTTP/2.0 POST /a%2Fb?c=%7e api.test k-1" {
			t.Errorf("%s: the server saw %q", framing, got)
		}
		if r.Wrote == 0 || r.Sent.IsZero() || r.Began.IsZero() {
			t.Errorf("%s: nothing tells what passed: %+v", framing, r)
		}
	}
}

func TestAServerWithoutHTTP2IsKnown(t *testing.T) {
	t.Parallel()
	addr := serveProtocols(t, false, http.NotFoundHandler())
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	if wire.SpeaksHTTP2(ctx, dial(t, addr)) {
		t.Error("a server that speaks HTTP/1.1 only is taken for one that speaks HTTP/2")
	}
}

// A server that breaks the connection after it executed the request gets it once.
func TestALostAnswerOfHTTP2IsNotSentAgain(t *testing.T) {
	t.Parallel()
	var executed atomic.Int64
	addr := serveProtocols(t, true, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		executed.Add(1)
		panic(http.ErrAbortHandler)
	}))
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	r := wire.DoHTTP2(ctx, dial(t, addr), rewrite.Request{Method: "POST", Path: "/", Header: fields("Idempotency-Key", "k"), Body: []byte("x")}, "api.test", false, wire.Limits{})
	if r.Outcome != history.Lost || executed.Load() != 1 {
		t.Errorf("%s (%s) after %d executions, want it lost after one", r.Outcome, r.Reason, executed.Load())
	}
}
