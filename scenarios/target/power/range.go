package power

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/racy"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

const (
	// requestLimit bounds one request to the known-racy server.
	requestLimit = 5 * time.Second
	// warmLimit bounds the wait for a connection to reach it, warmPause is between two looks.
	warmLimit = 2 * time.Second
	warmPause = 200 * time.Microsecond
	// acceptPause is given to the server to take what was sent ahead.
	acceptPause = time.Millisecond
)

// Options say what to race, and how.
type Options struct {
	// Command starts the known-racy server as a child, which serves at the address that is appended. Empty: it runs in this
	// process, where it cannot be frozen.
	Command []string
	// Rung is one of the names in faults/burst.
	Rung string
}

// Range is the known-racy server with a rung to race it by.
type Range struct {
	name   string
	rung   func(requests int) burst.Rung
	store  *link.Relay // nil: the records are in the server's memory
	addr   string
	links  *link.Links
	life   *life.Process // nil: in this process
	closed []func()
	wrap   func(send func(context.Context, *burst.Flight)) func(context.Context, *burst.Flight) // nil: as they are
	keys   int
}

// ErrCannot says that the known-racy server cannot be raced by the rung here.
var ErrCannot = errors.New("cannot be measured here")

// Open starts the known-racy server.
func Open(ctx context.Context, o Options) (*Range, error) {
	r := &Range{links: link.New(), name: o.Rung}
	err := r.open(ctx, o)
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("known-racy server: %w", err)
	}
	return r, nil
}

func (r *Range) open(ctx context.Context, o Options) error {
	if o.Rung == burst.StoreHoldName || o.Rung == burst.StoreLatencyName {
		if err := r.openStore(ctx); err != nil {
			return err
		}
	}
	start := r.startHere
	if len(o.Command) > 0 {
		start = func(ctx context.Context) error { return r.startChild(ctx, o.Command) }
	}
	if err := start(ctx); err != nil {
		return err
	}
	switch o.Rung {
	case burst.StoreHoldName:
		r.rung = func(n int) burst.Rung {
			rung, _ := HoldStore(r.store, n)
			return rung
		}
	case burst.StoreLatencyName:
		r.rung = always(SlowStore(r.store))
	case burst.FreezeName:
		if r.life == nil || !r.life.Can().Has(life.CanPause) {
			return fmt.Errorf("%w: it runs in this process, which cannot be frozen", ErrCannot)
		}
		r.rung = always(burst.Freeze(r.life))
	case burst.BarrierName:
		r.rung = always(burst.Barrier())
	case burst.HTTP2Name:
		r.rung = always(burst.Rung{Name: burst.HTTP2Name})
	default:
		return fmt.Errorf("%w: by %s", ErrCannot, o.Rung)
	}
	return nil
}

// always is a rung that is the same for every burst.
func always(rung burst.Rung) func(int) burst.Rung {
	return func(int) burst.Rung { return rung }
}

func (r *Range) startChild(ctx context.Context, command []string) error {
	port, err := life.FreePort()
	if err != nil {
		return err
	}
	r.addr = fmt.Sprintf("127.0.0.1:%d", port)
	r.life, err = life.NewProcess(life.Command{
		Argv:    slices.Concat(command, []string{r.addr}, r.storeAddr()),
		Listens: r.addr,
		Ready: func(ctx context.Context) error {
			c, err := new(net.Dialer).DialContext(ctx, "tcp", r.addr)
			if err != nil {
				return err
			}
			return c.Close()
		},
	})
	if err != nil {
		return err
	}
	r.closed = append(r.closed, func() { r.life.Close() })
	return r.life.Start(ctx)
}

func (r *Range) startHere(context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r.addr = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = racy.New(strings.Join(r.storeAddr(), "")).Serve(ctx, l)
	}()
	r.closed = append(r.closed, func() { cancel(); <-done })
	return nil
}

// Close leaves nothing running.
func (r *Range) Close() {
	r.links.Close()
	for i := len(r.closed) - 1; i >= 0; i-- {
		r.closed[i]()
	}
	r.closed = nil
}

// Load is what a burst is made of: so many keys, and so many requests with each.
type Load struct{ Keys, Each int }

// Round is what became of one burst.
type Round struct {
	Hits   int           // keys whose work was done more than once
	Met    int           // keys of which two handlers ran at a time, by the server's clock
	There  int           // requests that the server had when the rung let it go
	Spread time.Duration // between the first and the last handler's beginning
}

// Race sends all requests of a load, with fresh keys, at once.
func (r *Range) Race(ctx context.Context, l Load, w racy.Window) (Round, error) {
	c := call{receipts: make([]*racy.Receipt, l.Keys*l.Each)}
	for range l.Keys {
		r.keys++
		request := rewrite.Request{Method: "POST", Path: "/", RawQuery: w.Query(), Header: []rewrite.Field{{Name: racy.KeyField, Value: fmt.Sprintf("key-%d", r.keys)}}}
		for range l.Each {
			c.requests = append(c.requests, request)
		}
	}
	ready := r.warm
	if r.name == burst.HTTP2Name {
		ready = r.streams
	}
	rung := r.rung(len(c.requests))
	shots, done, err := ready(ctx, &rung, &c)
	defer done()
	if err != nil {
		return Round{}, err
	}
	for i := range shots {
		if r.wrap != nil {
			shots[i].Send = r.wrap(shots[i].Send)
		}
	}
	return c.summed(burst.Fire(ctx, rung, shots), l.Each)
}

// call is what is sent at once, and what the server says of each.
type call struct {
	requests []rewrite.Request
	receipts []*racy.Receipt
}

// warm opens a connection for each request. Where the server is going to stand still, all but the end of the header is sent ahead.
func (r *Range) warm(ctx context.Context, rung *burst.Rung, c *call) (shots []burst.Shot, done func(), err error) {
	conns, failed := make([]warmed, len(c.requests)), make([]error, len(c.requests))
	var warming sync.WaitGroup
	for i := range conns {
		warming.Go(func() { failed[i] = conns[i].open(ctx, r, c.requests[i], rung.Name == burst.FreezeName) })
	}
	warming.Wait()
	done = func() {
		for i := range conns {
			conns[i].close()
		}
	}
	if err := errors.Join(failed...); err != nil {
		return nil, done, err
	}
	if rung.Name == burst.FreezeName {
		err = pause(ctx, acceptPause)
	}
	for i := range conns {
		shots = append(shots, burst.Shot{There: conns[i].wire.RequestForwarded(int64(len(conns[i].bytes))), Send: conns[i].send(&c.receipts[i])})
	}
	return shots, done, err
}

// warmed is a connection that is open all the way, and what goes over it.
type warmed struct {
	wire  *link.Wire
	conn  net.Conn
	bytes []byte
	ahead int // of them, sent
}

// open connects to the server, and sends the request but for the end of its header.
func (c *warmed) open(ctx context.Context, r *Range, request rewrite.Request, ahead bool) (err error) {
	if c.bytes, err = wire.Bytes(request, r.addr); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, warmLimit)
	defer cancel()
	if err := c.connect(ctx, r); err != nil || !ahead {
		return err
	}
	c.ahead = len(c.bytes) - len("\r\n")
	if _, err := c.conn.Write(c.bytes[:c.ahead]); err != nil {
		return err
	}
	select {
	case <-c.wire.RequestForwarded(int64(c.ahead)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *warmed) connect(ctx context.Context, r *Range) (err error) {
	if c.wire, err = r.links.Open(ctx, link.Upstream{Addr: r.addr}, link.Plan{}); err != nil {
		return err
	}
	if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", c.wire.Addr); err != nil {
		return err
	}
	for c.wire.Proof().Connections == 0 {
		if err := pause(ctx, warmPause); err != nil {
			return err
		}
	}
	return nil
}

func (c *warmed) send(into **racy.Receipt) func(context.Context, *burst.Flight) {
	return func(ctx context.Context, f *burst.Flight) {
		ctx, cancel := context.WithTimeout(ctx, requestLimit)
		defer cancel()
		result := wire.Do(ctx, c.conn, wire.Exchange{Bytes: c.bytes, Ahead: c.ahead, Method: "POST",
			Written: func(at time.Time) { f.Written = at }, Began: func(at time.Time) { f.Answered = at }})
		*into, f.Err = receipt(result)
	}
}

func (c *warmed) close() {
	if c.conn != nil {
		c.conn.Close()
	}
	if c.wire != nil {
		c.wire.Close()
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// streams puts all requests on one connection; the rung sends them in one write.
func (r *Range) streams(ctx context.Context, rung *burst.Rung, c *call) (shots []burst.Shot, done func(), err error) {
	var way warmed
	done = way.close
	limited, cancel := context.WithTimeout(ctx, warmLimit)
	defer cancel()
	if err := way.connect(limited, r); err != nil {
		return nil, done, err
	}
	connection, err := wire.OpenHTTP2(ctx, way.conn)
	if err != nil {
		return nil, done, err
	}
	done = func() { connection.Close(); way.close() }
	for i, request := range c.requests {
		stream, err := connection.Add(request, "http", r.addr)
		if err != nil {
			return nil, done, err
		}
		shots = append(shots, burst.Shot{Send: func(ctx context.Context, f *burst.Flight) {
			ctx, cancel := context.WithTimeout(ctx, requestLimit)
			defer cancel()
			result := stream.Await(ctx, wire.Limits{}, func(at time.Time) { f.Answered = at })
			f.Written = result.Sent
			c.receipts[i], f.Err = receipt(result)
		}})
	}
	rung.Release = func(context.Context) error { return connection.Flush() }
	return shots, done, nil
}

func receipt(result wire.Result) (*racy.Receipt, error) {
	if result.Outcome != history.Answered || result.Answer.Status != 200 {
		return nil, fmt.Errorf("known-racy server: no receipt: %s", result.Reason)
	}
	receipt := new(racy.Receipt)
	if err := json.Unmarshal(result.Answer.Body, receipt); err != nil {
		return nil, fmt.Errorf("known-racy server: receipt: %w", err)
	}
	return receipt, nil
}

// summed goes by the server's own clock.
func (c *call) summed(v burst.Volley, each int) (Round, error) {
	round, err := Round{There: v.There}, v.Err
	var zero time.Time
	first, last := int64(math.MaxInt64), int64(0)
	for from := 0; from < len(c.receipts); from += each {
		var handlers []burst.Flight
		executed := 0
		for i, receipt := range c.receipts[from : from+each] {
			err = errors.Join(err, v.Flights[from+i].Err)
			if receipt == nil {
				continue
			}
			if receipt.Executed {
				executed++
			}
			first, last = min(first, receipt.Began), max(last, receipt.Began)
			handlers = append(handlers, burst.Flight{Written: zero.Add(time.Duration(receipt.Began + 1)), Answered: zero.Add(time.Duration(receipt.Ended + 1))})
		}
		if executed > 1 {
			round.Hits++
		}
		if burst.Overlapped(handlers) > 1 {
			round.Met++
		}
	}
	round.Spread = time.Duration(max(0, last-first))
	return round, err
}
