package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Relay is a way to one upstream that stays open for as long as a run does, such as that between a program and its database.
// Its faults come and go while connections live. A piece is what one read gave: of a protocol that asks and answers in turn,
// usually a whole request or a whole answer. All methods may be called at any time, from anywhere.
type Relay struct {
	// Addr is the host:port to dial instead of the upstream.
	Addr string

	id     uint64
	proxy  *toxiproxy.Proxy
	bridge *bridge // nil where Toxiproxy dials the upstream itself
	ledger ledger  // of the bridge and of dials that failed
	forget func()
	done   chan struct{} // closed by Close
	pipes  sync.WaitGroup
	once   sync.Once

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever a piece may go that could not before
	pending *span         // request side attached, answer side not yet
	spans   map[*span]struct{}
	halts   []*Halt
	delay   time.Duration
	down    bool
	proof   RelayProof
}

// Direction is where something on a relay goes.
type Direction int

// The directions.
const (
	Requests Direction = iota // from those who dial the relay to the upstream
	Answers                   // from the upstream to them
)

func (d Direction) String() string { return [...]string{"requests", "answers"}[d] }

// RelayProof is what a relay saw and did.
type RelayProof struct {
	Connections int    // that reached the upstream
	Open        int    // of them, now
	Severed     int    // taken away by Cut
	TurnedAway  int    // came while the relay was cut
	DialError   string // why the upstream could not be reached last
	Requests    Traffic
	Answers     Traffic
}

// Of is the traffic in one direction.
func (p RelayProof) Of(d Direction) Traffic {
	if d == Requests {
		return p.Requests
	}
	return p.Answers
}

func (p *RelayProof) of(d Direction) *Traffic {
	if d == Requests {
		return &p.Requests
	}
	return &p.Answers
}

// Traffic is what went one way.
type Traffic struct {
	Bytes     int64 // seen
	Forwarded int64 // handed on; what was held or delayed only once it went
	Pieces    int   // seen
	Held      int   // pieces that a Halt kept back
	Delayed   int   // pieces that a delay kept back
	Dropped   int64 // bytes that were still kept back when their connection was cut
}

// Relay starts a relay on a host:port (port 0 is any). The context bounds the start only; the relay lives until Relay.Close or
// Links.Close. The upstream is dialled anew for each connection.
func (l *Links) Relay(ctx context.Context, listen string, up Upstream) (*Relay, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("relay to %s: %w", up.Addr, err)
	}
	host, port, err := net.SplitHostPort(up.Addr)
	if err != nil || port == "" {
		return nil, fmt.Errorf("relay: upstream %q: want host:port", up.Addr)
	}
	r := &Relay{id: lastID.Add(1), done: make(chan struct{}), changed: make(chan struct{}), spans: map[*span]struct{}{}}
	r.ledger.firstResponse, r.ledger.held = make(chan struct{}), make(chan struct{})
	r.forget = func() { l.forget(r) }
	addr := up.Addr
	if up.TLS != nil || !loopback(host) {
		if r.bridge, err = openBridge(up, host, &r.ledger); err != nil {
			return nil, fmt.Errorf("relay to %s: %w", up.Addr, err)
		}
		addr = r.bridge.addr()
	}
	if err := r.start(l.server, listen, addr); err != nil {
		r.Close()
		return nil, fmt.Errorf("relay to %s: %w", up.Addr, err)
	}
	if !l.remember(r) {
		r.Close()
		return nil, errors.New("relay: the links are closed already")
	}
	return r, nil
}

func (r *Relay) start(server *toxiproxy.ApiServer, listen, upstream string) error {
	r.proxy = toxiproxy.NewProxy(server, fmt.Sprintf("relay-%d", r.id), listen, upstream)
	log := zerolog.New(dialLog{&r.ledger}).Level(zerolog.ErrorLevel)
	r.proxy.Logger = &log
	relays.Store(r.id, r)
	for _, stream := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"type":%q,"stream":%q,"toxicity":1,"attributes":{"relay":%d,"answers":%v}}`,
			relayType, stream, r.id, stream == "downstream")
		if _, err := r.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			return fmt.Errorf("toxic %s: %w", toxic, err)
		}
	}
	if err := r.proxy.Start(); err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	r.Addr = r.proxy.Listen
	return nil
}

// Proof returns what the relay has seen so far.
func (r *Relay) Proof() RelayProof {
	r.ledger.mu.Lock()
	dialError := r.ledger.proof.DialError
	r.ledger.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.proof
	p.Open, p.DialError = len(r.spans), dialError
	return p
}

// Delay lets every piece, in both directions, arrive that much later. 0 ends it; what is on its way keeps its time.
func (r *Relay) Delay(by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = max(0, by)
}

// Cut takes all connections away, with what is kept back in them, and turns new ones away until Mend. It returns how many it took.
func (r *Relay) Cut() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = true
	return r.sever()
}

// Break takes all connections away, as Cut does, and lets new ones be made.
func (r *Relay) Break() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sever()
}

// Mend ends a Cut.
func (r *Relay) Mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = false
}

// sever takes all connections away, and returns how many. The caller holds the lock.
func (r *Relay) sever() int {
	n := 0
	for s := range r.spans {
		if s.sever() {
			n++
		}
	}
	r.proof.Severed += n
	return n
}

// Close ends every connection and stops listening. It may be called more than once.
func (r *Relay) Close() { r.once.Do(r.close) }

func (r *Relay) close() {
	close(r.done)
	if r.bridge != nil {
		r.bridge.close()
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if r.proxy != nil {
			r.proxy.Stop()
		}
		r.pipes.Wait()
		relays.Delete(r.id)
	}()
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-stopped:
	case <-limit.C:
	}
	r.forget()
}

// notify wakes those who wait for a piece to go. The caller holds the lock.
func (r *Relay) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}
