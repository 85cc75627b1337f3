package link

import (
	"fmt"
	"sync"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

const (
	requestType  = "oncespec_request"
	responseType = "oncespec_response"
)

var (
	// register puts our toxics into Toxiproxy's registry, which is global to the process.
	register = sync.OnceFunc(func() {
		toxics.Register(requestType, new(requestToxic))
		toxics.Register(responseType, new(responseToxic))
		toxics.Register(relayType, new(relayToxic))
	})
	// wires finds a wire by its id: Toxiproxy makes toxics itself, from their type and JSON attributes.
	wires sync.Map
)

// toxics are the toxics of this wire, in the order in which Toxiproxy is to chain them.
func (w *Wire) toxics() []string {
	const ours = `{"type":%q,"stream":%q,"toxicity":1,"attributes":{"wire":%d}}`
	list := []string{
		fmt.Sprintf(ours, requestType, "upstream", w.id),
		fmt.Sprintf(ours, responseType, "downstream", w.id),
	}
	if w.plan.ResetResponse {
		// Toxiproxy's reset_peer is here for one thing only: where it is in the chain, connections are set to close with a
		// reset. It comes after our toxic, which never lets data through to it and drains the upstream, so that neither its
		// own timing nor its failure to drain matters.
		list = append(list, `{"type":"reset_peer","stream":"downstream","toxicity":1,"attributes":{"timeout":0}}`)
	}
	return list
}

type requestToxic struct {
	Wire uint64 `json:"wire"`
}

type responseToxic struct {
	Wire uint64 `json:"wire"`
}

// conn is one connection through a wire, shared by its two directions.
type conn struct {
	wire         *Wire
	clientGone   chan struct{} // closed when nothing more comes from the client
	upstreamGone chan struct{} // closed when nothing more comes from the upstream
	severed      chan struct{} // closed when the plan took the client's connection away
}

// NewState attaches the request side of a new connection. The proxy's accept loop calls this and then, for the same
// connection, the response side's NewState, before it accepts another one.
func (t *requestToxic) NewState() any {
	found, _ := wires.Load(t.Wire)
	w := found.(*Wire)
	c := &conn{wire: w, clientGone: make(chan struct{}), upstreamGone: make(chan struct{}), severed: make(chan struct{})}
	w.pipes.Add(2)
	w.pending = c
	if w.bridge == nil {
		w.ledger.note(func(p *Proof) { p.Connections++ })
	}
	return c
}

// NewState attaches the response side of the connection whose request side came just before.
func (t *responseToxic) NewState() any {
	found, _ := wires.Load(t.Wire)
	return found.(*Wire).pending
}

func (t *requestToxic) Pipe(stub *toxics.ToxicStub) {
	c := stub.State.(*conn)
	defer c.wire.pipes.Done()
	c.request(stub)
}

func (t *responseToxic) Pipe(stub *toxics.ToxicStub) {
	c := stub.State.(*conn)
	defer c.wire.pipes.Done()
	c.response(stub)
}

// each calls do for every piece of data until the input ends. When the wire is closed the output is closed at once, and the
// rest of the input drained: whoever feeds it must never be left blocked.
func (c *conn) each(stub *toxics.ToxicStub, do func([]byte)) {
	done := c.wire.done
	for {
		select {
		case chunk := <-stub.Input:
			if chunk == nil {
				return
			}
			if len(chunk.Data) > 0 {
				do(chunk.Data)
			}
		case <-done:
			stub.Close()
			done = nil
		}
	}
}

// send hands data to the socket behind the stub; false means that there is no such socket any more.
func (c *conn) send(stub *toxics.ToxicStub, data []byte, gone <-chan struct{}) bool {
	if stub.Closed() {
		return false
	}
	select {
	case stub.Output <- &stream.StreamChunk{Data: data}:
		return true
	case <-gone:
		return false
	case <-c.wire.done:
		return false
	}
}
