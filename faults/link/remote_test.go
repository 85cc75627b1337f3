package link_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/faults/link/linktest"
)

// TestFaultsThroughSomebodyElsesToxiproxy: a wire in front of it does what it does everywhere, and nothing is left there.
func TestFaultsThroughSomebodyElsesToxiproxy(t *testing.T) {
	up := listen(t, answering(7, []byte("response")))
	toxiproxy := linktest.Start(t, linktest.Options{})
	r, err := link.DialRemote(t.Context(), toxiproxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := r.Lead(t.Context(), "127.0.0.1:0", up.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(journal.Open()); n != 1 || toxiproxy.Proxies() != 1 {
		t.Errorf("%d entries of the journal, %d proxies", n, toxiproxy.Proxies())
	}
	for name, c := range map[string]struct {
		plan link.Plan
		want string
	}{
		"none": {link.Plan{}, "response"},
		"drop": {link.Plan{DropResponse: true}, ""},
		"cut":  {link.Plan{CutResponse: 3}, "res"},
	} {
		w := openTo(t, link.Upstream{Addr: addr}, c.plan)
		client := dial(t, w)
		send(t, client, []byte("request"))
		got := make([]byte, len(c.want))
		io.ReadFull(client, got)
		await(t, "an answer", w.FirstResponse())
		client.Close()
		w.Close()
		if p := w.Proof(); string(got) != c.want || p.ResponseBytes != 8 || p.ResponseCut != (name != "none") {
			t.Errorf("%s: read %q, %+v", name, got, p)
		}
	}
	if err := errors.Join(r.Close(t.Context()), r.Close(t.Context())); err != nil {
		t.Error(err)
	}
	if n := len(journal.Open()); n != 0 || toxiproxy.Proxies() != 0 {
		t.Errorf("after close: %d entries of the journal, %d proxies", n, toxiproxy.Proxies())
	}
}

// TestPortsOfARemoteProxy: where only some are published, the first free one is taken.
func TestPortsOfARemoteProxy(t *testing.T) {
	toxiproxy := linktest.Start(t, linktest.Options{})
	r, err := link.DialRemote(t.Context(), toxiproxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	port := busy.Addr().(*net.TCPAddr).Port
	if _, err := r.Lead(t.Context(), fmt.Sprintf("127.0.0.1:%d", port), "127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a port that is taken: %v", err)
	}
	addr, err := r.Lead(t.Context(), fmt.Sprintf("127.0.0.1:%d-%d", port, port+50), "127.0.0.1:1")
	if err != nil || addr == busy.Addr().String() {
		t.Errorf("at %s, %v", addr, err)
	}
	if err := r.Close(t.Context()); err != nil || toxiproxy.Proxies() != 0 || len(journal.Open()) != 0 {
		t.Errorf("%v, %d proxies, %v", err, toxiproxy.Proxies(), journal.Open())
	}
	for _, listen := range []string{"", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:9-8", "127.0.0.1:0-8", "127.0.0.1:1-70000"} {
		if link.CheckListen(listen) == nil {
			t.Errorf("%q is accepted", listen)
		}
	}
}

// TestRemoteThatIsNone: what is not a Toxiproxy is told apart from what is not there.
func TestRemoteThatIsNone(t *testing.T) {
	t.Parallel()
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	elsewhere := serve(func(w http.ResponseWriter, r *http.Request) { t.Error("somebody was sent elsewhere") })
	for name, c := range map[string]struct{ url, says string }{
		"nobody":       {"http://127.0.0.1:1", "is it running?"},
		"no URL":       {"127.0.0.1:8474", "expected a URL"},
		"another API":  {serve(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }), "no Toxiproxy"},
		"a redirect":   {serve(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, http.StatusFound) }), "no Toxiproxy"},
		"an old one":   {serve(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "2.1.4") }), `"2.1.4", expected 2, from 2.2.0 on`},
		"another year": {serve(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"version":"9.1.0"}`) }), `"9.1.0", expected 2`},
	} {
		if _, err := link.DialRemote(t.Context(), c.url); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	silent := listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	if _, err := link.DialRemote(ctx, "http://"+silent.Addr().String()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one that is silent: %v", err)
	}
}

// TestVersionsOfARemote: those in between say their version in what is no JSON, and are spoken to.
func TestVersionsOfARemote(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"{\"version\": \"2.5.0\"}\\n", `{"version":"v2.12.0"}`, `{"version":"git"}`} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/version" {
				io.WriteString(w, said)
				return
			}
			http.NotFound(w, r)
		}))
		t.Cleanup(s.Close)
		if r, err := link.DialRemote(t.Context(), s.URL); err != nil || r.Counts {
			t.Errorf("%s: %v", said, err)
		}
	}
}

// TestNameOfARemoteProxyThatIsTaken: whoever has it keeps it, and another name is taken.
func TestNameOfARemoteProxyThatIsTaken(t *testing.T) {
	var first sync.Once
	toxiproxy := linktest.Start(t, linktest.Options{Front: func(routes http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				first.Do(func() { // somebody was faster
					body, _ := io.ReadAll(r.Body)
					theirs := r.Clone(r.Context())
					theirs.Body, r.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
					routes.ServeHTTP(httptest.NewRecorder(), theirs)
				})
			}
			routes.ServeHTTP(w, r)
		})
	}})
	r := lead(t, toxiproxy.URL)
	if toxiproxy.Proxies() != 2 {
		t.Errorf("%d proxies", toxiproxy.Proxies())
	}
	if err := r.Close(t.Context()); err != nil || toxiproxy.Proxies() != 1 {
		t.Errorf("%v, %d proxies", err, toxiproxy.Proxies())
	}
}

// TestRemoteProxyOfADeadProgram is removed, also where it is gone, or its server.
func TestRemoteProxyOfADeadProgram(t *testing.T) {
	toxiproxy := linktest.Start(t, linktest.Options{})
	r, err := link.DialRemote(t.Context(), toxiproxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Lead(t.Context(), "127.0.0.1:0", "127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	left := journal.Open()[0]
	for range 2 {
		if err := link.EndRemoteProxy(t.Context(), left); err != nil || toxiproxy.Proxies() != 0 {
			t.Errorf("%v, %d proxies", err, toxiproxy.Proxies())
		}
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	left.More["url"] = "http://127.0.0.1:1"
	if err := link.EndRemoteProxy(t.Context(), left); err != nil {
		t.Errorf("of a server that is gone: %v", err)
	}
	left.Name = "somebody else's"
	if err := link.EndRemoteProxy(t.Context(), left); err == nil {
		t.Error("somebody else's proxy")
	}
}
