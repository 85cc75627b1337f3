package link_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/oncespec/oncespec/faults/link"
)

// secure is an upstream that speaks TLS, and how to reach it.
func secure(t *testing.T, serve func(net.Conn)) (*upstream, link.Upstream) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler()) // lends us its certificate
	defer s.Close()
	config := s.Client().Transport.(*http.Transport).TLSClientConfig
	l, err := tls.Listen("tcp", "127.0.0.1:0", s.TLS)
	if err != nil {
		t.Fatal(err)
	}
	return accept(t, l, serve), link.Upstream{Addr: l.Addr().String(), TLS: config}
}

func openTo(t *testing.T, up link.Upstream, plan link.Plan) *link.Wire {
	t.Helper()
	links := link.New()
	t.Cleanup(links.Close)
	w, err := links.Open(t.Context(), up, plan)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestFaultsActOnPlainTextBeforeTLS(t *testing.T) {
	t.Parallel()
	_, up := secure(t, answering(7, []byte("response")))
	for name, c := range map[string]struct {
		plan link.Plan
		want string
	}{
		"cut":  {link.Plan{CutResponse: 3}, "res"},
		"drop": {link.Plan{DropResponse: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openTo(t, up, c.plan)
			client := dial(t, w)
			send(t, client, []byte("request"))
			receiveAll(t, client, []byte(c.want))
			proves(t, w, link.Proof{
				Connections: 1, RequestBytes: 7, RequestForwarded: 7,
				ResponseBytes: 8, ResponseForwarded: int64(len(c.want)), ResponseCut: true,
			})
		})
	}
}

func TestRequestCutBeforeTLS(t *testing.T) {
	t.Parallel()
	received := make(chan []byte, 1)
	_, up := secure(t, recording(received))
	w := openTo(t, up, link.Plan{CutRequest: 5})
	client := dial(t, w)
	send(t, client, []byte("abcdefgh"))
	if got := <-received; string(got) != "abcde" {
		t.Errorf("upstream received %q, want abcde", got)
	}
	io.Copy(io.Discard, client)
	proves(t, w, link.Proof{Connections: 1, RequestBytes: 8, RequestForwarded: 5, RequestCut: true})
}

func TestWholeResponseOverTLSEndsWithTheUpstream(t *testing.T) {
	t.Parallel()
	body := make([]byte, 3<<20)
	_, up := secure(t, func(c net.Conn) {
		io.CopyN(io.Discard, c, 7)
		c.Write(body)
	})
	w := openTo(t, up, link.Plan{})
	client := dial(t, w)
	send(t, client, []byte("request"))
	receiveAll(t, client, body)
}

func TestCertificateThatIsNotTrustedIsADialError(t *testing.T) {
	t.Parallel()
	_, up := secure(t, answering(7, []byte("response")))
	up.TLS = &tls.Config{}
	w := openTo(t, up, link.Plan{})
	client := dial(t, w)
	client.Write([]byte("request"))
	if data, _ := io.ReadAll(client); len(data) > 0 {
		t.Errorf("read %q", data)
	}
	w.Close()
	if p := w.Proof(); p.DialError == "" || p.Connections != 0 || p.RequestForwarded != 0 {
		t.Errorf("proof of an upstream that was never reached: %+v", p)
	}
}
