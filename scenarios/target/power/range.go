package power

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
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
	// Rung is one of the names in faults/burst.
	Rung string
	// Replicas is how many servers there are, on one store, to which the requests with a key go in turn. 0 is 1, whose records
	// are in its memory unless the rung is about its store.
	Replicas int
}

// Range is the known-racy server, or several on one store, with a rung to race it by.
type Range struct {
	name   string
	rung   func(requests int) burst.Rung
	store  *link.Relay // nil: there is no link to the store
	stored []string    // where the servers find their records; empty: in their memory
	addrs  []string    // of the servers
	links  *link.Links
	lives  herd // empty: in this process
	closed []func()
	wrap   func(send func(context.Context, *burst.Flight)) func(context.Context, *burst.Flight) // nil: as they are
	bare   bool                                                                                 // past the fault links, to find out what they cost
	keys   int
}

// ErrCannot says that the known-racy server cannot be raced by the rung here.
var ErrCannot = errors.New("cannot be measured here")

// Open starts the known-racy server. The command starts it as a child, which serves at the address that is appended. Empty: it
// runs in this process, where it cannot be frozen.
func Open(ctx context.Context, command []string, o Options) (*Range, error) {
	r := &Range{links: link.New(), name: o.Rung}
	err := r.open(ctx, command, o)
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("known-racy server: %w", err)
	}
	return r, nil
}

func (r *Range) open(ctx context.Context, command []string, o Options) error {
	linked := o.Rung == burst.StoreHoldName || o.Rung == burst.StoreLatencyName
	if linked || o.Replicas > 1 {
		if err := r.openStore(ctx, linked); err != nil {
			return err
		}
	}
	start := r.startHere
	if len(command) > 0 {
		start = func(ctx context.Context) error { return r.startChild(ctx, command) }
	}
	for range max(1, o.Replicas) {
		if err := start(ctx); err != nil {
			return err
		}
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
		if len(r.lives) == 0 || !r.lives[0].Can().Has(life.CanPause) {
			return fmt.Errorf("%w: it runs in this process, which cannot be frozen", ErrCannot)
		}
		r.rung = always(burst.Freeze(r.lives))
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
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	child, err := life.NewProcess(life.Command{
		Argv:    slices.Concat(command, []string{addr}, r.stored),
		Listens: addr,
		Ready: func(ctx context.Context) error {
			c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
			if err != nil {
				return err
			}
			return c.Close()
		},
	})
	if err != nil {
		return err
	}
	r.lives, r.addrs = append(r.lives, child), append(r.addrs, addr)
	r.closed = append(r.closed, func() { child.Close() })
	return child.Start(ctx)
}

func (r *Range) startHere(context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r.addrs = append(r.addrs, l.Addr().String())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = racy.New(strings.Join(r.stored, "")).Serve(ctx, l)
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
	Hits      int           // keys whose work was done more than once
	Met       int           // keys of which two handlers ran at a time, by the server's clock
	Delivered int           // requests that the server had when the rung let it go
	Spread    time.Duration // between the first and the last handler's beginning
}

// Race sends all requests of a load, with fresh keys, at once.
func (r *Range) Race(ctx context.Context, l Load, w racy.Window) (Round, error) {
	c := call{receipts: make([]*racy.Receipt, l.Keys*l.Each), each: l.Each}
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
	return c.summed(burst.Fire(ctx, rung, shots))
}

// call is what is sent at once, and what the server says of each.
type call struct {
	requests []rewrite.Request
	receipts []*racy.Receipt
	each     int // with each key
}

// at is the server to which a request goes.
func (r *Range) at(c *call, request int) int { return request % c.each % len(r.addrs) }

// streams puts all requests to a server on one connection; the rung sends them in one write each.
func (r *Range) streams(ctx context.Context, rung *burst.Rung, c *call) (shots []burst.Shot, done func(), err error) {
	ways, connections := make([]warmed, len(r.addrs)), make([]*wire.Streams, len(r.addrs))
	done = func() {
		for i := range ways {
			if connections[i] != nil {
				connections[i].Close()
			}
			ways[i].close()
		}
	}
	limited, cancel := context.WithTimeout(ctx, warmLimit)
	defer cancel()
	for i, addr := range r.addrs {
		if err := ways[i].connect(limited, r, addr); err != nil {
			return nil, done, err
		}
		if connections[i], err = wire.OpenHTTP2(ctx, ways[i].conn); err != nil {
			return nil, done, err
		}
	}
	for i, request := range c.requests {
		stream, err := connections[r.at(c, i)].Add(request, "http", r.addrs[r.at(c, i)])
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
	rung.Release = func(context.Context) error {
		var errs []error
		for _, connection := range connections {
			errs = append(errs, connection.Flush())
		}
		return errors.Join(errs...)
	}
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
func (c *call) summed(v burst.Volley) (Round, error) {
	round, err := Round{Delivered: v.Delivered}, v.Err
	var zero time.Time
	first, last := int64(math.MaxInt64), int64(0)
	for from := 0; from < len(c.receipts); from += c.each {
		var handlers []burst.Flight
		executed := 0
		for i, receipt := range c.receipts[from : from+c.each] {
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
