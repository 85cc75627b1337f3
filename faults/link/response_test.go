package link_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/oncespec/oncespec/faults/link"
)

func TestResponseFaults(t *testing.T) {
	t.Parallel()
	replacement := []byte("HTTP/1.1 502 Bad Gateway\r\n\r\n")
	for name, c := range map[string]struct {
		plan      link.Plan
		want      string
		forwarded int64
		cut       bool
	}{
		"dropped":                    {link.Plan{DropResponse: true}, "", 0, true},
		"cut in the middle":          {link.Plan{CutResponse: 4}, "resp", 4, true},
		"cut before the last byte":   {link.Plan{CutResponse: 7}, "respons", 7, true},
		"replaced":                   {link.Plan{ReplaceResponse: replacement}, string(replacement), int64(len(replacement)), true},
		"dropped with a request cut": {link.Plan{DropResponse: true, CutRequest: 99}, "", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := listen(t, answering(7, []byte("response")))
			w := open(t, u, c.plan)
			client := dial(t, w)
			send(t, client, []byte("request"))
			receiveAll(t, client, []byte(c.want))
			proves(t, w, link.Proof{
				Connections: 1, RequestBytes: 7, RequestForwarded: 7,
				ResponseBytes: 8, ResponseForwarded: c.forwarded, ResponseCut: c.cut,
			})
		})
	}
}

func TestCutAtOrBeyondTheEndIsNoCut(t *testing.T) {
	t.Parallel()
	for _, after := range []int64{8, 9} {
		u := listen(t, answering(7, []byte("response")))
		w := open(t, u, link.Plan{CutResponse: after})
		client := dial(t, w)
		send(t, client, []byte("request"))
		receive(t, client, []byte("response"))
		proves(t, w, link.Proof{Connections: 1, RequestBytes: 7, RequestForwarded: 7, ResponseBytes: 8, ResponseForwarded: 8})
	}
}

func TestResetReachesTheClientAsReset(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(7, []byte("response")))
	w := open(t, u, link.Plan{ResetResponse: true})
	client := dial(t, w)
	send(t, client, []byte("request"))
	n, err := client.Read(make([]byte, 100))
	if n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read %d bytes and %v, want 0 and a connection reset", n, err)
	}
	proves(t, w, link.Proof{Connections: 1, RequestBytes: 7, RequestForwarded: 7, ResponseBytes: 8, ResponseCut: true})
}

func TestUpstreamThatClosesWithoutAnswerProvesNoCut(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]link.Plan{
		"no fault": {}, "drop": {DropResponse: true}, "reset": {ResetResponse: true}, "hold": {HoldResponse: true},
		"replace": {ReplaceResponse: []byte("502")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := listen(t, func(c net.Conn) { io.CopyN(io.Discard, c, 7) })
			w := open(t, u, plan)
			client := dial(t, w)
			send(t, client, []byte("request"))
			if data, _ := io.ReadAll(client); len(data) > 0 {
				t.Errorf("read %q from an upstream that said nothing", data)
			}
			proves(t, w, link.Proof{Connections: 1, RequestBytes: 7, RequestForwarded: 7})
		})
	}
}

func TestHeldResponse(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(7, []byte("response")))
	w := open(t, u, link.Plan{HoldResponse: true})
	client := dial(t, w)
	send(t, client, []byte("request"))
	await(t, "hold", w.ResponseHeld())
	if p := w.Proof(); p.ResponseForwarded != 0 || !p.ResponseHeld {
		t.Errorf("proof while held: %+v", p)
	}
	w.Release()
	w.Release()
	receive(t, client, []byte("response"))
	proves(t, w, link.Proof{
		Connections: 1, RequestBytes: 7, RequestForwarded: 7, ResponseBytes: 8, ResponseForwarded: 8, ResponseHeld: true,
	})
}

func TestHeldResponseMeetsItsFateWhenReleased(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(7, []byte("response")))
	w := open(t, u, link.Plan{HoldResponse: true, CutResponse: 3})
	client := dial(t, w)
	send(t, client, []byte("request"))
	await(t, "hold", w.ResponseHeld())
	w.Release()
	receiveAll(t, client, []byte("res"))
	proves(t, w, link.Proof{
		Connections: 1, RequestBytes: 7, RequestForwarded: 7,
		ResponseBytes: 8, ResponseForwarded: 3, ResponseCut: true, ResponseHeld: true,
	})
}

func TestReleaseBeforeTheResponseHoldsNothing(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(7, []byte("response")))
	w := open(t, u, link.Plan{HoldResponse: true})
	w.Release()
	client := dial(t, w)
	send(t, client, []byte("request"))
	receive(t, client, []byte("response"))
	pending(t, "hold", w.ResponseHeld())
}

func TestClientThatLeavesAHeldResponse(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	u := listen(t, func(c net.Conn) {
		answering(7, []byte("response"))(c)
		close(gone)
	})
	w := open(t, u, link.Plan{HoldResponse: true})
	client := dial(t, w)
	send(t, client, []byte("request"))
	await(t, "hold", w.ResponseHeld())
	client.Close()
	await(t, "upstream notices", gone)
}

// A large answer must go on flowing after its client was sent away: the upstream is to notice nothing.
func TestLargeResponseIsDrainedBehindTheFault(t *testing.T) {
	t.Parallel()
	const size = 20 << 20
	large := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	for name, plan := range map[string]link.Plan{
		"dropped":  {DropResponse: true},
		"cut":      {CutResponse: 100_000},
		"reset":    {ResetResponse: true},
		"replaced": {ReplaceResponse: []byte("bad gateway")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := make(chan error, 1)
			u := listen(t, func(c net.Conn) {
				io.CopyN(io.Discard, c, 7)
				_, err := c.Write(large)
				written <- err
			})
			w := open(t, u, plan)
			client := dial(t, w)
			send(t, client, []byte("request"))
			io.Copy(io.Discard, client)
			if err := <-written; err != nil {
				t.Errorf("the upstream could not write its answer: %v", err)
			}
			u.serving.Wait()
			p := w.Proof()
			if !p.ResponseCut || p.ResponseForwarded != plan.CutResponse+int64(len(plan.ReplaceResponse)) {
				t.Errorf("proof: %+v", p)
			}
		})
	}
}

func TestLargeResponseToAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(7, make([]byte, 20<<20)))
	for name, leave := range map[string]func(*net.TCPConn, *link.Wire){
		"client leaves": func(c *net.TCPConn, _ *link.Wire) { c.Close() },
		"wire closes":   func(_ *net.TCPConn, w *link.Wire) { w.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, u, link.Plan{})
			client := dial(t, w)
			send(t, client, []byte("request"))
			await(t, "first response byte", w.FirstResponse())
			leave(client, w)
		})
	}
}
