package link

import "github.com/Shopify/toxiproxy/v2/toxics"

// response carries the upstream's bytes to the client, as the plan says.
func (c *conn) response(stub *toxics.ToxicStub) {
	w := c.wire
	var forwarded int64
	c.each(stub, func(data []byte) {
		w.ledger.responseSeen(len(data))
		if stub.Closed() {
			return // draining
		}
		if !c.hold() {
			stub.Close()
			return
		}
		take := data
		if w.plan.withholds() {
			// CutResponse is 0 for drop, reset and replace: the first byte is already one too many.
			take = data[:min(int64(len(data)), w.plan.CutResponse-forwarded)]
		}
		if len(take) > 0 && !c.deliver(stub, take) {
			stub.Close()
			return
		}
		forwarded += int64(len(take))
		if len(take) < len(data) {
			c.sever(stub)
		}
	})
	if !isClosed(c.clientGone) && !isClosed(w.done) {
		w.ledger.note(func(*Proof) { w.ledger.upstreamLeft = true })
		w.ledger.ended()
	}
	close(c.upstreamGone)
	stub.Close()
}

// hold waits for the release where the plan says so; false means that there is nobody left to wait for.
func (c *conn) hold() bool {
	w := c.wire
	select {
	case <-w.release:
		return true
	default:
	}
	w.ledger.responseHeld()
	select {
	case <-w.release:
		return true
	case <-c.clientGone:
	case <-w.done:
	}
	return false
}

// sever takes the client's connection away while the upstream goes on sending.
func (c *conn) sever(stub *toxics.ToxicStub) {
	w := c.wire
	close(c.severed) // before the client can notice, see request
	w.ledger.note(func(p *Proof) { p.ResponseCut = true })
	if len(w.plan.ReplaceResponse) > 0 {
		c.deliver(stub, w.plan.ReplaceResponse)
	}
	stub.Close()
}

func (c *conn) deliver(stub *toxics.ToxicStub, data []byte) bool {
	if !c.send(stub, data, c.clientGone) {
		return false
	}
	c.wire.ledger.note(func(p *Proof) { p.ResponseForwarded += int64(len(data)) })
	return true
}
