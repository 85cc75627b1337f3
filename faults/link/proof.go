package link

import (
	"sync"
	"time"
)

// Proof is what a wire saw, summed over its connections. It is complete once the wire is closed, and true at any time before.
type Proof struct {
	// Connections counts those that reached the upstream.
	Connections int
	// DialError says why the upstream could not be reached; empty if it could, or if nobody tried.
	DialError string

	// RequestBytes came from the client; RequestForwarded of them were written to the upstream's socket.
	RequestBytes, RequestForwarded int64
	// ResponseBytes came from the upstream; ResponseForwarded were handed to the client's socket (the bytes of a replacement
	// count here too).
	ResponseBytes, ResponseForwarded int64

	// LastRequestByte is when forwarding the latest request byte began: an answer to it is never older, however busy the machine.
	// FirstResponseByte is when the earliest response byte was seen. Both carry a monotonic reading and are zero if it never happened.
	LastRequestByte, FirstResponseByte time.Time

	// RequestCut: the client had more to send than was forwarded, and both sides were closed for it.
	RequestCut bool
	// ResponseCut: the upstream answered, and the client was deprived of at least one byte of it (dropped, cut, reset, replaced).
	ResponseCut bool
	// Beyond is how it is known what a Remote handed on of the request, where the wire has a proxy of its own on one and nothing
	// was answered; what RequestForwarded and RequestCut say is then corrected by it once the wire is closed.
	Beyond Evidence
	// ResponseHeld: a response byte was kept back until Wire.Release (or until the client left, or the wire was closed).
	ResponseHeld bool
}

// ledger keeps the proof and wakes those who wait for a part of it.
type ledger struct {
	mu            sync.Mutex
	proof         Proof
	firstResponse chan struct{}
	held          chan struct{}
	marks         []*Mark // that are not reached
	sent          int64   // request bytes that were on their way to the upstream's socket, written or not
	upstreamLeft  bool    // it ended a connection before its client did
	kept          bool    // a connection lived for a while with all that was sent forwarded
}

// Mark is a number of request bytes, reached when so many have been forwarded.
type Mark struct {
	ledger *ledger
	bytes  int64
	done   chan struct{}
	at     time.Time
}

// Done is closed when the mark is reached.
func (m *Mark) Done() <-chan struct{} { return m.done }

// At is when forwarding the last byte before the mark began; zero: it is not reached.
func (m *Mark) At() time.Time {
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	return m.at
}

func (l *ledger) note(change func(*Proof)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.proof)
}

func (l *ledger) requestForwarded(n int, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proof.RequestForwarded += int64(n)
	l.proof.LastRequestByte = at
	ahead := l.marks[:0]
	for _, m := range l.marks {
		if l.proof.RequestForwarded >= m.bytes {
			m.at = at
			close(m.done)
		} else {
			ahead = append(ahead, m)
		}
	}
	l.marks = ahead
}

func (l *ledger) responseSeen(n int) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.proof.ResponseBytes == 0 {
		l.proof.FirstResponseByte = now
		close(l.firstResponse)
	}
	l.proof.ResponseBytes += int64(n)
}

func (l *ledger) responseHeld() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.proof.ResponseHeld {
		l.proof.ResponseHeld = true
		close(l.held)
	}
}

func (l *ledger) mark(bytes int64) *Mark {
	m := &Mark{ledger: l, bytes: bytes, done: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.proof.RequestForwarded >= bytes {
		m.at = l.proof.LastRequestByte
		close(m.done)
	} else {
		l.marks = append(l.marks, m)
	}
	return m
}
