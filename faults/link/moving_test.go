package link_test

import (
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/oncespec/oncespec/faults/link"
)

// TestWireFollowsAnUpstreamThatMoves: one wire, opened once, leads to wherever the upstream is when it is dialled.
func TestWireFollowsAnUpstreamThatMoves(t *testing.T) {
	t.Parallel()
	var at atomic.Value
	here := listen(t, answering(7, []byte("here")))
	at.Store(here.Addr().String())
	w := openTo(t, link.Upstream{Addr: "an upstream that moves:1", Find: func() (string, error) {
		if at.Load() == "" {
			return "", errors.New("it is nowhere")
		}
		return at.Load().(string), nil
	}}, link.Plan{CutResponse: 4})
	exchange := func() string {
		client := dial(t, w)
		client.Write([]byte("request"))
		data, _ := io.ReadAll(client)
		return string(data)
	}
	first := dial(t, w)
	send(t, first, []byte("request"))
	receive(t, first, []byte("here"))

	here.Close()
	at.Store("")
	if got := exchange(); got != "" {
		t.Errorf("an upstream that is nowhere answered %q", got)
	}
	if p := w.Proof(); p.DialError != "it is nowhere" || p.Connections != 1 {
		t.Errorf("proof while it was nowhere: %+v", p)
	}

	at.Store(listen(t, answering(7, []byte("there it is"))).Addr().String())
	if got := exchange(); got != "ther" {
		t.Errorf("after it had moved: read %q", got)
	}
	w.Close()
	if p := w.Proof(); p.Connections != 2 || !p.ResponseCut {
		t.Errorf("proof after it had moved: %+v", p)
	}
}
