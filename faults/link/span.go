package link

import (
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

const (
	relayType = "oncespec_relay"
	// keptBack bounds what a relay takes from one side of a connection while it forwards nothing; the sender then waits, as
	// with any slow receiver.
	keptBack = 1 << 20
)

// relays finds a relay by its id, as wires does a wire.
var relays sync.Map

type relayToxic struct {
	Relay   uint64 `json:"relay"`
	Answers bool   `json:"answers"`
}

// span is one connection of a relay, shared by its two directions.
type span struct {
	relay   *Relay
	severed chan struct{}
	cut     bool             // guarded by the relay's lock, as are the next two
	owed    bool             // the last piece on it was a request
	running int              // directions that are not over
	gone    [2]chan struct{} // closed when nothing more comes from that side
}

// sever takes the connection away; false: that has happened before. The caller holds the relay's lock.
func (s *span) sever() bool {
	if s.cut {
		return false
	}
	s.cut = true
	close(s.severed)
	return true
}

// NewState attaches one side of a connection. Toxiproxy's accept loop does so for the requests, then for the answers of the same
// connection, before it accepts another one.
func (t *relayToxic) NewState() any {
	found, _ := relays.Load(t.Relay)
	r := found.(*Relay)
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.Answers {
		return r.pending
	}
	s := &span{relay: r, running: 2, severed: make(chan struct{}), gone: [2]chan struct{}{make(chan struct{}), make(chan struct{})}}
	r.pipes.Add(2)
	r.pending = s
	r.spans[s] = struct{}{}
	if r.down {
		s.sever()
		r.proof.TurnedAway++
	} else {
		r.proof.Connections++
	}
	return s
}

func (t *relayToxic) Pipe(stub *toxics.ToxicStub) {
	s, dir := stub.State.(*span), Requests
	if t.Answers {
		dir = Answers
	}
	defer s.relay.pipes.Done()
	(&pipe{span: s, relay: s.relay, dir: dir}).run(stub)
}

// piece is what one read gave.
type piece struct {
	data  []byte
	due   time.Time // when it may go; zero: at once
	halt  *Halt     // that keeps it back
	round int       // of the halt, when it came
}

// pipe is one direction of a connection.
type pipe struct {
	span  *span
	relay *Relay
	dir   Direction
	queue []piece
	bytes int
	ended bool
}

// run takes pieces in, and hands them on in order when they may go. It takes its input to the end: whoever feeds it must never be
// left blocked.
func (p *pipe) run(stub *toxics.ToxicStub) {
	for p.turn(stub) {
	}
	p.drop()
	stub.Close()
	for !p.ended {
		p.take(<-stub.Input, false)
	}
}

// turn hands on what may go, or waits for something to happen; false: there is nothing left to do.
func (p *pipe) turn(stub *toxics.ToxicStub) bool {
	free, wait, changed := p.front()
	switch {
	case isClosed(p.span.severed):
		return false // also where what it had been kept back for ended just now
	case free:
		return p.send(stub)
	case p.ended && len(p.queue) == 0:
		return false
	}
	input := stub.Input
	if p.ended || p.bytes >= keptBack {
		input = nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case chunk := <-input:
		p.take(chunk, true)
	case <-changed:
	case <-timer.C:
	case <-p.span.gone[1-p.dir]:
		return false // nobody is there to receive any more
	case <-p.span.severed:
		return false
	case <-p.relay.done:
		return false
	}
	return true
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// idle is how long a pipe waits at most before it looks again, where nothing is due.
const idle = time.Hour

// front tells whether the first piece may go, else when to look again.
func (p *pipe) front() (free bool, wait time.Duration, changed <-chan struct{}) {
	r := p.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(p.queue) == 0 {
		return false, idle, r.changed
	}
	first := &p.queue[0]
	if first.halt != nil && first.halt.round > first.round {
		first.halt.gave(p.span, first.round)
		first.halt = nil
	}
	if first.halt != nil {
		return false, idle, r.changed
	}
	if wait = time.Until(first.due); wait > 0 {
		return false, wait, r.changed
	}
	return true, 0, r.changed
}

// take notes what came in; nil is the end.
func (p *pipe) take(chunk *stream.StreamChunk, keep bool) {
	if chunk == nil {
		p.ended = true
		close(p.span.gone[p.dir])
		return
	}
	r := p.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.proof.of(p.dir)
	t.Bytes += int64(len(chunk.Data))
	if !keep {
		t.Dropped += int64(len(chunk.Data))
		return
	}
	t.Pieces++
	p.span.owed = p.dir == Requests
	next := piece{data: chunk.Data}
	if r.delay > 0 {
		next.due = chunk.Timestamp.Add(r.delay)
		t.Delayed++
	}
	for _, h := range r.halts {
		if next.halt == nil && h.take(p.dir, p.span) {
			next.halt, next.round = h, h.round
			t.Held++
		}
		h.rejoin(p.span)
	}
	p.queue = append(p.queue, next)
	p.bytes += len(chunk.Data)
}

// send hands the first piece on; false: nobody is there to receive it.
func (p *pipe) send(stub *toxics.ToxicStub) bool {
	data := p.queue[0].data
	select {
	case stub.Output <- &stream.StreamChunk{Data: data}:
	case <-p.span.gone[1-p.dir]:
		return false
	case <-p.span.severed:
		return false
	case <-p.relay.done:
		return false
	}
	p.queue, p.bytes = p.queue[1:], p.bytes-len(data)
	p.relay.mu.Lock()
	defer p.relay.mu.Unlock()
	p.relay.proof.of(p.dir).Forwarded += int64(len(data))
	return true
}

// drop gives up what is still kept back. When both directions have, the connection is no more.
func (p *pipe) drop() {
	r := p.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, left := range p.queue {
		if left.halt != nil {
			left.halt.gave(p.span, left.round)
		}
		r.proof.of(p.dir).Dropped += int64(len(left.data))
	}
	p.queue = nil
	if p.span.running--; p.span.running == 0 {
		delete(r.spans, p.span)
		for _, h := range r.halts {
			h.rejoin(p.span)
		}
	}
}
