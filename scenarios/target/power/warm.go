package power

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/racy"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// warm opens a connection for each request. Where the server is going to stand still, all but the end of the header is sent ahead.
func (r *Range) warm(ctx context.Context, rung *burst.Rung, c *call) (shots []burst.Shot, done func(), err error) {
	conns, failed := make([]warmed, len(c.requests)), make([]error, len(c.requests))
	var warming sync.WaitGroup
	for i := range conns {
		warming.Go(func() {
			failed[i] = conns[i].open(ctx, r, r.addrs[r.at(c, i)], c.requests[i], rung.Name == burst.FreezeName)
		})
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
		shot := burst.Shot{Send: conns[i].send(&c.receipts[i])}
		if !r.bare {
			shot.Delivered = conns[i].wire.RequestForwarded(int64(len(conns[i].bytes)))
		}
		shots = append(shots, shot)
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
func (c *warmed) open(ctx context.Context, r *Range, addr string, request rewrite.Request, ahead bool) (err error) {
	if c.bytes, err = wire.Bytes(request, addr); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, warmLimit)
	defer cancel()
	if err := c.connect(ctx, r, addr); err != nil || !ahead {
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

func (c *warmed) connect(ctx context.Context, r *Range, addr string) (err error) {
	if r.bare {
		c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", addr)
		return err
	}
	if c.wire, err = r.links.Open(ctx, link.Upstream{Addr: addr}, link.Plan{}); err != nil {
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
