package link

import (
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// writtenGrace is how long whoever writes to the upstream may take from there to the next piece.
const writtenGrace = 100 * time.Millisecond

// request carries the client's bytes to the upstream, as the plan says.
func (c *conn) request(stub *toxics.ToxicStub) {
	w := c.wire
	var forwarded int64
	c.each(stub, func(data []byte) {
		w.ledger.note(func(p *Proof) { p.RequestBytes += int64(len(data)) })
		if stub.Closed() {
			return
		}
		if forwarded == 0 && w.Limited() && !c.pause(keptFor) {
			stub.Close()
			return
		}
		if w.Limited() { // what limit_data would not hand on is kept here: over there nobody would ever take it off its sender
			data = data[:min(int64(len(data)), w.behind.limit-forwarded)]
		}
		cut := w.plan.CutRequest > 0 && forwarded+int64(len(data)) > w.plan.CutRequest
		if cut {
			data = data[:w.plan.CutRequest-forwarded]
		}
		forwarded += int64(len(data))
		sent := c.forward(stub, data)
		if cut && sent {
			w.ledger.note(func(p *Proof) { p.RequestCut = true })
		}
		left := w.plan.HangUpAfter > 0 && forwarded >= w.plan.HangUpAfter
		if cut || left || !sent {
			stub.Close() // closes the upstream, whose end closes the client
		}
	})
	if !isClosed(c.upstreamGone) {
		w.ledger.ended()
	}
	close(c.clientGone)

	// The client is gone. If it left by itself the upstream learns it at once. If the plan sent it away, the upstream must
	// not notice: it gets rid of its whole answer first.
	select {
	case <-c.severed:
		select {
		case <-c.upstreamGone:
		case <-w.done:
		}
	default:
	}
	stub.Close()
}

// forward sends data upstream in the plan's slices; false means that it could not all be sent.
func (c *conn) forward(stub *toxics.ToxicStub, data []byte) bool {
	dribble := c.wire.plan.DribbleRequest
	for len(data) > 0 {
		n := len(data)
		if dribble.Slice > 0 {
			n = min(n, dribble.Slice)
		}
		at := time.Now() // the answer to it cannot be older, and may be seen before we are back
		if !c.send(stub, data[:n], c.upstreamGone) {
			return false
		}
		c.wire.ledger.note(func(*Proof) { c.wire.ledger.sent += int64(n) })
		if !c.written(stub) {
			return false
		}
		if c.wire.bridge == nil {
			c.wire.ledger.requestForwarded(n, at)
		}
		data = data[n:]
		if dribble.Pause > 0 && !c.pause(dribble.Pause) {
			return false
		}
	}
	return true
}

// written waits until what was sent last is in the upstream's socket: whoever writes there comes for more only then. Until that
// a wire that is closed takes it away, and nothing of it may be said to have been forwarded.
func (c *conn) written(stub *toxics.ToxicStub) bool {
	nothing := &stream.StreamChunk{Data: []byte{}} // nil would be the end
	select {
	case stub.Output <- nothing:
		return true
	case <-c.upstreamGone:
	case <-c.wire.done:
	}
	// It may have been written before, and whoever did so not have come round yet; if it cannot be written nobody comes.
	grace := time.NewTimer(writtenGrace)
	defer grace.Stop()
	select {
	case stub.Output <- nothing:
		return true
	case <-grace.C:
		return false
	}
}

func (c *conn) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.upstreamGone:
		return false
	case <-c.wire.done:
		return false
	}
}
