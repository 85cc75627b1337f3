package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/faults/link"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// patience is how long a test waits for an event that is certain to come.
const patience = 20 * time.Second

// upstream is a raw TCP server that runs serve for each connection.
type upstream struct {
	net.Listener
	serving sync.WaitGroup
}

func listen(t testing.TB, serve func(net.Conn)) *upstream {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return accept(t, l, serve)
}

func accept(t testing.TB, l net.Listener, serve func(net.Conn)) *upstream {
	u := &upstream{Listener: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			u.serving.Go(func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(patience))
				serve(c)
			})
		}
	}()
	t.Cleanup(func() {
		l.Close()
		u.serving.Wait()
	})
	return u
}

// answering reads the request's bytes, then writes the response, then waits until the other side leaves.
func answering(request int, response []byte) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := io.CopyN(io.Discard, c, int64(request)); err != nil {
			return
		}
		if _, err := c.Write(response); err == nil {
			io.Copy(io.Discard, c)
		}
	}
}

func open(t testing.TB, u *upstream, plan link.Plan) *link.Wire {
	t.Helper()
	links := link.New()
	t.Cleanup(links.Close)
	w, err := links.Open(t.Context(), link.Upstream{Addr: u.Addr().String()}, plan)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func dial(t testing.TB, w *link.Wire) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", w.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c.(*net.TCPConn)
}

func send(t testing.TB, c net.Conn, data []byte) {
	t.Helper()
	if _, err := c.Write(data); err != nil {
		t.Fatal(err)
	}
}

// receive reads exactly what is wanted, and no more.
func receive(t testing.TB, c net.Conn, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil {
		t.Fatalf("after reading: %v", err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("got %.40q, want %.40q", got, want)
	}
}

// receiveAll reads to the end and wants an ordinary one.
func receiveAll(t testing.TB, c net.Conn, want []byte) {
	t.Helper()
	got, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("read %d bytes, then %v; want an ordinary end", len(got), err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("got %d bytes %.40q, want %d bytes %.40q", len(got), got, len(want), want)
	}
}

func await(t testing.TB, what string, event <-chan struct{}) {
	t.Helper()
	select {
	case <-event:
	case <-time.After(patience):
		t.Fatalf("%s: did not happen", what)
	}
}

func pending(t testing.TB, what string, event <-chan struct{}) {
	t.Helper()
	select {
	case <-event:
		t.Fatalf("%s: happened too early", what)
	default:
	}
}

// counts is a proof without its times.
func counts(p link.Proof) link.Proof {
	p.LastRequestByte, p.FirstResponseByte = time.Time{}, time.Time{}
	return p
}

func proves(t testing.TB, w *link.Wire, want link.Proof) {
	t.Helper()
	w.Close()
	got := w.Proof()
	if counts(got) != want {
		t.Errorf("proof\n got %+v\nwant %+v", counts(got), want)
	}
	if (got.RequestForwarded > 0) == got.LastRequestByte.IsZero() || (got.ResponseBytes > 0) == got.FirstResponseByte.IsZero() {
		t.Errorf("times do not fit the counts: %+v", got)
	}
}

func TestNoFaultForwardsEverythingAndCounts(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(7, []byte("answer")))
	w := open(t, u, link.Plan{})
	if got := w.Proof(); got != (link.Proof{}) {
		t.Fatalf("proof before anything happened: %+v", got)
	}

	c := dial(t, w)
	three := w.RequestForwarded(3)
	pending(t, "three request bytes", three)
	send(t, c, []byte("request"))
	await(t, "three request bytes", three)
	receive(t, c, []byte("answer"))
	await(t, "first response byte", w.FirstResponse())
	await(t, "seven request bytes", w.RequestForwarded(7))
	pending(t, "eight request bytes", w.RequestForwarded(8))

	p := w.Proof()
	if !p.LastRequestByte.Before(p.FirstResponseByte) {
		t.Errorf("the answer began at %v, before the request was forwarded at %v", p.FirstResponseByte, p.LastRequestByte)
	}
	proves(t, w, link.Proof{Connections: 1, RequestBytes: 7, RequestForwarded: 7, ResponseBytes: 6, ResponseForwarded: 6})
}

// TestAMarkKnowsWhenItWasReached: no later than the upstream had what lies before it, and whatever is forwarded afterwards.
func TestAMarkKnowsWhenItWasReached(t *testing.T) {
	t.Parallel()
	there := make(chan time.Time, 1)
	serve := func(c net.Conn) {
		if _, err := io.CopyN(io.Discard, c, 7); err != nil {
			return
		}
		there <- time.Now()
		io.Copy(io.Discard, c)
	}
	u := listen(t, serve)
	_, encrypted := secure(t, serve)
	for name, up := range map[string]link.Upstream{"plain": {Addr: u.Addr().String()}, "TLS": encrypted} {
		w := openTo(t, up, link.Plan{})
		seven := w.Mark(7)
		if !seven.At().IsZero() {
			t.Fatalf("%s: reached before anything was sent: %v", name, seven.At())
		}
		c := dial(t, w)
		send(t, c, []byte("request"))
		await(t, "the request", seven.Done())
		at := seven.At()
		if had := <-there; at.IsZero() || at.After(had) {
			t.Errorf("%s: forwarded at %v, and the upstream had it at %v", name, at, had)
		}
		send(t, c, []byte("more"))
		await(t, "more", w.RequestForwarded(11))
		if late := w.Mark(7); seven.At() != at || !w.Proof().LastRequestByte.After(at) || late.At() != w.Proof().LastRequestByte {
			t.Errorf("%s: the mark moved from %v to %v, the last byte to %v", name, at, seven.At(), w.Proof().LastRequestByte)
		}
	}
}

func TestProofSumsConnections(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(2, []byte("abc")))
	w := open(t, u, link.Plan{})
	for range 5 {
		c := dial(t, w)
		send(t, c, []byte("rq"))
		receive(t, c, []byte("abc"))
	}
	proves(t, w, link.Proof{Connections: 5, RequestBytes: 10, RequestForwarded: 10, ResponseBytes: 15, ResponseForwarded: 15})
}

func TestUpstreamThatIsNotThere(t *testing.T) {
	t.Parallel()
	u := listen(t, func(net.Conn) {})
	w := open(t, u, link.Plan{})
	u.Close()

	c := dial(t, w)
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Fatal("read a byte from nowhere")
	}
	w.Close()
	p := w.Proof()
	if p.DialError == "" {
		t.Error("no dial error in the proof")
	}
	p.DialError = ""
	if p != (link.Proof{}) {
		t.Errorf("proof of nothing: %+v", p)
	}
}

func TestClientThatLeavesIsNoticedUpstream(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]link.Plan{
		"no fault":       {},
		"dropping":       {DropResponse: true},
		"holding":        {HoldResponse: true},
		"cutting either": {CutRequest: 100, CutResponse: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := make(chan struct{})
			u := listen(t, func(c net.Conn) {
				io.Copy(io.Discard, c)
				close(left)
			})
			w := open(t, u, plan)
			c := dial(t, w)
			send(t, c, []byte("request"))
			await(t, "request", w.RequestForwarded(7))
			c.Close()
			await(t, "upstream notices", left)
			proves(t, w, link.Proof{Connections: 1, RequestBytes: 7, RequestForwarded: 7})
		})
	}
}

func TestCloseEndsEverythingAtAnyTime(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]link.Plan{
		"no fault":  {},
		"holding":   {HoldResponse: true},
		"dribbling": {DribbleRequest: link.Dribble{Slice: 1, Pause: time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan struct{})
			u := listen(t, func(c net.Conn) {
				c.Read(make([]byte, 1))
				c.Write([]byte("a"))
				io.Copy(io.Discard, c)
				close(ended)
			})
			w := open(t, u, plan)
			c := dial(t, w)
			send(t, c, []byte("request"))
			await(t, "first response byte", w.FirstResponse())
			var both sync.WaitGroup
			both.Go(w.Close)
			both.Go(w.Close)
			both.Wait()
			w.Release()
			await(t, "end of the upstream's connection", ended)
			if _, err := io.Copy(io.Discard, c); err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("client's connection: %v", err)
			}
			if again, err := net.Dial("tcp", w.Addr); err == nil {
				again.Close()
				t.Error("the proxy still accepts connections")
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	links := link.New()
	for name, c := range map[string]struct {
		addr string
		plan link.Plan
	}{
		"no port":          {"127.0.0.1", link.Plan{}},
		"empty port":       {"127.0.0.1:", link.Plan{}},
		"two fates":        {"127.0.0.1:1", link.Plan{DropResponse: true, ResetResponse: true}},
		"negative cut":     {"127.0.0.1:1", link.Plan{CutResponse: -1}},
		"pause, no slices": {"127.0.0.1:1", link.Plan{DribbleRequest: link.Dribble{Pause: 1}}},
	} {
		if w, err := links.Open(t.Context(), link.Upstream{Addr: c.addr}, c.plan); err == nil {
			w.Close()
			t.Errorf("%s: opened", name)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := links.Open(ended, link.Upstream{Addr: "127.0.0.1:1"}, link.Plan{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	links.Close()
	links.Close()
	if _, err := links.Open(t.Context(), link.Upstream{Addr: "127.0.0.1:1"}, link.Plan{}); err == nil {
		t.Error("opened a wire on closed links")
	}
}
