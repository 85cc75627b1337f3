package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/faults/link/linktest"
)

// counting is a Toxiproxy of somebody else's that keeps counters.
func counting(t *testing.T) *link.Remote {
	t.Helper()
	return remote(t, linktest.Start(t, linktest.Options{Counts: true}).URL)
}

func remote(t *testing.T, url string) *link.Remote {
	t.Helper()
	r, err := link.DialRemote(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return r
}

// took is an upstream that never answers, and tells what it got when its client has left.
func took(t *testing.T) (addr string, got chan string) {
	got = make(chan string, 8)
	l := listen(t, func(c net.Conn) {
		all, _ := io.ReadAll(c)
		got <- string(all)
	})
	return l.Addr().String(), got
}

// TestRequestIsCutByTheRemoteItself: its limit_data decides what the upstream gets; that it took the connection away shows
// that it has. Its counters show it where it keeps any.
func TestRequestIsCutByTheRemoteItself(t *testing.T) {
	toxiproxy := linktest.Start(t, linktest.Options{})
	for name, c := range map[string]struct {
		remote   *link.Remote
		evidence link.Evidence
	}{"by limit_data": {remote(t, toxiproxy.URL), link.Cut}, "counted": {counting(t), link.Counted}} {
		for what, plan := range map[string]link.Plan{"cut": {CutRequest: 4}, "left": {HangUpAfter: 7}} {
			up, got := took(t)
			links := link.New()
			t.Cleanup(links.Close)
			w, err := links.OpenBehind(t.Context(), c.remote, "127.0.0.1:0", up, plan)
			if err != nil {
				t.Fatal(err)
			}
			client := dial(t, w)
			send(t, client, []byte("request"))
			if n, err := client.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("%s, %s: read %d, %v", name, what, n, err)
			}
			client.Close()
			w.Close()
			want := "request"[:max(plan.CutRequest, plan.HangUpAfter)]
			if p := w.Proof(); <-got != want || p.RequestForwarded != int64(len(want)) || p.RequestBytes != 7 || p.Beyond != c.evidence || p.RequestCut != (what == "cut") || !w.Limited() {
				t.Errorf("%s, %s: %+v", name, what, p)
			}
		}
	}
	if toxiproxy.Proxies() != 0 {
		t.Errorf("%d proxies are left", toxiproxy.Proxies())
	}
}

// TestWhatIsNotHandedOnIsNotSent: a Toxiproxy loses a goroutine for good where more comes than its limit_data hands on. TestMain
// sees that none is lost.
func TestWhatIsNotHandedOnIsNotSent(t *testing.T) {
	toxiproxy := linktest.Start(t, linktest.Options{})
	r := remote(t, toxiproxy.URL)
	up, got := took(t)
	links := link.New()
	t.Cleanup(links.Close)
	w, err := links.OpenBehind(t.Context(), r, "127.0.0.1:0", up, link.Plan{CutRequest: 4})
	if err != nil {
		t.Fatal(err)
	}
	client := dial(t, w)
	for range 50 { // a piece each
		client.Write(bytes.Repeat([]byte("r"), 1<<15))
	}
	client.Read(make([]byte, 1))
	client.Close()
	w.Close()
	if p := w.Proof(); <-got != "rrrr" || p.RequestForwarded != 4 || !p.RequestCut || p.Beyond != link.Cut {
		t.Errorf("%+v", p)
	}
}

// TestClientThatLeavesHearsNothing: however fast the upstream answers, even to the first byte.
func TestClientThatLeavesHearsNothing(t *testing.T) {
	toxiproxy := linktest.Start(t, linktest.Options{})
	r := remote(t, toxiproxy.URL)
	answered := make(chan struct{})
	up := listen(t, func(c net.Conn) {
		io.ReadFull(c, make([]byte, 1))
		c.Write([]byte("response"))
		answered <- struct{}{}
		io.Copy(io.Discard, c)
	})
	links := link.New()
	t.Cleanup(links.Close)
	w, err := links.OpenBehind(t.Context(), r, "127.0.0.1:0", up.Addr().String(), link.Plan{HangUpAfter: 7})
	if err != nil {
		t.Fatal(err)
	}
	client := dial(t, w)
	send(t, client, []byte("r"))
	<-answered
	send(t, client, []byte("equest"))
	if n, err := client.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("read %d, %v", n, err)
	}
	client.Close()
	w.Close()
	if p := w.Proof(); p.ResponseBytes != 0 || p.RequestForwarded != 7 || p.RequestCut || p.Beyond != link.Cut {
		t.Errorf("%+v", p)
	}
}

// TestUpstreamThatIsNotThereIsNotTakenForACut: the connection that ends then has carried nothing.
func TestUpstreamThatIsNotThereIsNotTakenForACut(t *testing.T) {
	toxiproxy := linktest.Start(t, linktest.Options{})
	for _, r := range []*link.Remote{counting(t), remote(t, toxiproxy.URL)} {
		links := link.New()
		t.Cleanup(links.Close)
		w, err := links.OpenBehind(t.Context(), r, "127.0.0.1:0", "127.0.0.1:1", link.Plan{HangUpAfter: 7})
		if err != nil {
			t.Fatal(err)
		}
		client := dial(t, w)
		client.Write([]byte("request"))
		client.Read(make([]byte, 1))
		client.Close()
		w.Close()
		if p := w.Proof(); p.Beyond != link.Unknown {
			t.Errorf("%+v", p)
		}
	}
}

// TestClientThatLeavesIsCounted: what it wrote before it left was handed on, which only counters show.
func TestClientThatLeavesIsCounted(t *testing.T) {
	toxiproxy := linktest.Start(t, linktest.Options{})
	for name, c := range map[string]struct {
		remote   *link.Remote
		evidence link.Evidence
	}{"no counters": {remote(t, toxiproxy.URL), link.Unknown}, "counted": {counting(t), link.Counted}} {
		up, got := took(t)
		links := link.New()
		t.Cleanup(links.Close)
		w, err := links.OpenBehind(t.Context(), c.remote, "127.0.0.1:0", up, link.Plan{})
		if err != nil {
			t.Fatal(err)
		}
		client := dial(t, w)
		send(t, client, []byte("request"))
		await(t, "the request", w.RequestForwarded(7))
		client.Close()
		if whole := <-got; whole != "request" {
			t.Errorf("%s: the upstream got %q", name, whole)
		}
		w.Close()
		if p := w.Proof(); p.Beyond != c.evidence || p.RequestForwarded != 7 || p.RequestCut || w.Limited() {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestRemoteThatIsLost: one that was stopped, and one that was emptied, are told apart; nothing is left in the journal of either.
func TestRemoteThatIsLost(t *testing.T) {
	toxiproxy := linktest.Start(t, linktest.Options{})
	r := remote(t, toxiproxy.URL)
	if _, err := r.Lead(t.Context(), "127.0.0.1:0", "127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	if err := r.Check(t.Context()); err != nil {
		t.Error(err)
	}
	toxiproxy.Empty(t)
	if err := r.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("emptied: %v", err)
	}
	toxiproxy.Close()
	if err := r.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "was it stopped?") {
		t.Errorf("stopped: %v", err)
	}
	if err := r.Close(t.Context()); err != nil || len(journal.Open()) != 0 {
		t.Errorf("%v, %v", err, journal.Open())
	}
}
