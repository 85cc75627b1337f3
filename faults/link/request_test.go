package link_test

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link"
)

// recording hands over everything that a connection received before it ended.
func recording(received chan<- []byte) func(net.Conn) {
	return func(c net.Conn) {
		data, _ := io.ReadAll(c)
		received <- data
	}
}

func TestCutRequestForwardsExactlyItsBytes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pieces []string
		cut    int64
		want   string
	}{
		"in the first piece":     {[]string{"abcdefgh"}, 3, "abc"},
		"between pieces":         {[]string{"abc", "defgh"}, 3, "abc"},
		"in a later piece":       {[]string{"abc", "defgh"}, 5, "abcde"},
		"before the last byte":   {[]string{"abcdefgh"}, 7, "abcdefg"},
		"after a single byte":    {[]string{"abcdefgh"}, 1, "a"},
		"with slices, too":       {[]string{"abcdefgh"}, 5, "abcde"},
		"with a response to cut": {[]string{"abcdefgh"}, 2, "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			received := make(chan []byte, 1)
			u := listen(t, recording(received))
			plan := link.Plan{CutRequest: c.cut}
			if name == "with slices, too" {
				plan.DribbleRequest.Slice = 2
			}
			if name == "with a response to cut" {
				plan.CutResponse = 1
			}
			w := open(t, u, plan)
			client := dial(t, w)
			var sent int64
			for _, piece := range c.pieces {
				send(t, client, []byte(piece))
				sent += int64(len(piece))
				if sent <= c.cut {
					await(t, "piece", w.RequestForwarded(sent))
				}
			}
			if got := <-received; string(got) != c.want {
				t.Errorf("upstream received %q, want %q", got, c.want)
			}
			io.Copy(io.Discard, client) // the client's side ends, too
			proves(t, w, link.Proof{Connections: 1, RequestBytes: 8, RequestForwarded: c.cut, RequestCut: true})
		})
	}
}

func TestRequestCutBeyondItsEndIsNoCut(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(7, []byte("response")))
	w := open(t, u, link.Plan{CutRequest: 7})
	client := dial(t, w)
	send(t, client, []byte("request"))
	receive(t, client, []byte("response"))
	proves(t, w, link.Proof{Connections: 1, RequestBytes: 7, RequestForwarded: 7, ResponseBytes: 8, ResponseForwarded: 8})
}

// TestHangUpIsAtOnce: the upstream finds the end right behind the last byte, while the client is still there.
func TestHangUpIsAtOnce(t *testing.T) {
	t.Parallel()
	for name, slice := range map[string]int{"in one piece": 0, "in slices": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			received := make(chan []byte, 1)
			u := listen(t, recording(received))
			w := open(t, u, link.Plan{HangUpAfter: 7, DribbleRequest: link.Dribble{Slice: slice}})
			client := dial(t, w)
			send(t, client, []byte("request"))
			if got := <-received; string(got) != "request" {
				t.Errorf("upstream received %q", got)
			}
			io.Copy(io.Discard, client) // it is sent away itself
			proves(t, w, link.Proof{Connections: 1, RequestBytes: 7, RequestForwarded: 7})
		})
	}
}

func TestLargeRequestBehindACut(t *testing.T) {
	t.Parallel()
	received := make(chan []byte, 1)
	u := listen(t, recording(received))
	w := open(t, u, link.Plan{CutRequest: 1_000_000})
	client := dial(t, w)
	body := bytes.Repeat([]byte("x"), 20<<20)
	client.Write(body) // may fail: the wire is entitled to close while the client still sends
	if got := <-received; len(got) != 1_000_000 {
		t.Errorf("upstream received %d bytes, want 1000000", len(got))
	}
	w.Close()
	if p := w.Proof(); !p.RequestCut || p.RequestForwarded != 1_000_000 {
		t.Errorf("proof: %+v", p)
	}
}

func TestDribbledRequestArrivesWholeAndInSlices(t *testing.T) {
	t.Parallel()
	request := []byte("0123456789")
	u := listen(t, func(c net.Conn) {
		got := make([]byte, len(request))
		if _, err := io.ReadFull(c, got); err == nil {
			c.Write(got)
			io.Copy(io.Discard, c)
		}
	})
	w := open(t, u, link.Plan{DribbleRequest: link.Dribble{Slice: 3, Pause: time.Millisecond}})
	client := dial(t, w)
	send(t, client, request)
	await(t, "first slice", w.RequestForwarded(3))
	receive(t, client, request)
	proves(t, w, link.Proof{Connections: 1, RequestBytes: 10, RequestForwarded: 10, ResponseBytes: 10, ResponseForwarded: 10})
}

func TestDribbleEndsWhenTheUpstreamHasLeft(t *testing.T) {
	t.Parallel()
	u := listen(t, func(c net.Conn) { c.Read(make([]byte, 1)) })
	w := open(t, u, link.Plan{DribbleRequest: link.Dribble{Slice: 1, Pause: time.Hour}})
	client := dial(t, w)
	send(t, client, []byte("request"))
	io.Copy(io.Discard, client)
	proves(t, w, link.Proof{Connections: 1, RequestBytes: 7, RequestForwarded: 1})
}

// TestWhatIsForwardedIsThere: what the proof counts the upstream has, whatever happens to the wire right after.
func TestWhatIsForwardedIsThere(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]link.Plan{"no fault": {}, "hang up": {HangUpAfter: 7}, "answer held": {HoldResponse: true}, "in slices": {DribbleRequest: link.Dribble{Slice: 3}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			received := make(chan []byte, 1)
			u := listen(t, recording(received))
			for range 100 {
				w := open(t, u, plan)
				send(t, dial(t, w), []byte("request"))
				await(t, "request", w.RequestForwarded(7))
				w.Close()
				if got := <-received; string(got) != "request" || w.Proof().RequestForwarded != 7 {
					t.Fatalf("upstream received %q of 7 bytes, proof: %+v", got, w.Proof())
				}
			}
		})
	}
}
