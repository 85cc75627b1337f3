package link

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// stopLimit bounds how long Close waits for Toxiproxy. Stopping takes microseconds, unless its accept loop is stuck in a
// dial, which a frozen upstream with a full backlog can do; the operating system ends that later.
const stopLimit = 2 * time.Second

// Wire is one proxy with one plan. All methods may be called at any time, from anywhere.
type Wire struct {
	// Addr is the host:port to dial instead of the upstream.
	Addr string

	id     uint64
	plan   Plan
	proxy  *toxiproxy.Proxy
	bridge *bridge // nil where Toxiproxy dials the upstream itself
	behind *behind // nil unless it goes on as a proxy of its own on a Remote
	forget func()

	ledger  ledger
	release chan struct{} // closed by Release
	done    chan struct{} // closed by Close
	pipes   sync.WaitGroup
	pending *conn // request side attached, response side not yet

	releaseOnce, closeOnce sync.Once
}

func newWire(plan Plan) *Wire {
	w := &Wire{
		id:      lastID.Add(1),
		plan:    plan,
		release: make(chan struct{}),
		done:    make(chan struct{}),
	}
	w.ledger.firstResponse = make(chan struct{})
	w.ledger.held = make(chan struct{})
	if !plan.HoldResponse {
		w.Release()
	}
	return w
}

func (w *Wire) start(server *toxiproxy.ApiServer, upstream string) error {
	w.proxy = toxiproxy.NewProxy(server, fmt.Sprintf("wire-%d", w.id), "127.0.0.1:0", upstream)
	log := zerolog.New(dialLog{&w.ledger}).Level(zerolog.ErrorLevel)
	w.proxy.Logger = &log

	wires.Store(w.id, w)
	for _, toxic := range w.toxics() {
		if _, err := w.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			return fmt.Errorf("toxic %s: %w", toxic, err)
		}
	}
	if err := w.proxy.Start(); err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	w.Addr = w.proxy.Listen
	return nil
}

// Limited tells that a Remote takes the client's connection away when it has handed on what the plan says.
func (w *Wire) Limited() bool { return w.behind != nil && w.behind.limit > 0 }

// Proof returns what the wire has seen so far.
func (w *Wire) Proof() Proof {
	w.ledger.mu.Lock()
	defer w.ledger.mu.Unlock()
	return w.ledger.proof
}

// FirstResponse is closed when the first response byte arrives from the upstream.
func (w *Wire) FirstResponse() <-chan struct{} { return w.ledger.firstResponse }

// ResponseHeld is closed when a response is first kept back by HoldResponse.
func (w *Wire) ResponseHeld() <-chan struct{} { return w.ledger.held }

// RequestForwarded is closed when n request bytes, summed over all connections, have been forwarded upstream.
func (w *Wire) RequestForwarded(n int64) <-chan struct{} { return w.Mark(n).Done() }

// Mark is at n request bytes, summed over all connections. Made before they are sent it knows when the last of them was.
func (w *Wire) Mark(n int64) *Mark { return w.ledger.mark(n) }

// Release lets held responses go, and those that come later pass. Without HoldResponse it does nothing.
func (w *Wire) Release() { w.releaseOnce.Do(func() { close(w.release) }) }

// Close ends every connection and removes the proxy. It may be called more than once; when it returns the proof is final.
func (w *Wire) Close() { w.closeOnce.Do(w.close) }

func (w *Wire) close() {
	w.ledger.closing()
	close(w.done)
	if w.bridge != nil {
		w.bridge.close()
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if w.proxy != nil {
			w.proxy.Stop()
		}
		w.pipes.Wait()
		wires.Delete(w.id)
	}()
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-stopped:
	case <-limit.C:
	}
	if w.behind != nil {
		w.behind.end(&w.ledger)
	}
	w.forget()
}

// dialLog is where the proxy's log goes: the log is the only place where Toxiproxy tells that it could not reach the upstream.
type dialLog struct{ ledger *ledger }

func (d dialLog) Write(line []byte) (int, error) {
	var entry struct {
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	if json.Unmarshal(line, &entry) == nil && strings.HasPrefix(entry.Message, "Unable to open connection") {
		d.ledger.note(func(p *Proof) { p.DialError = entry.Error })
	}
	return len(line), nil
}
