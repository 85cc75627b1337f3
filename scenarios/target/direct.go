package target

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

const (
	// idleLimit is how long a connection may have been idle to be used again: servers close idle ones, and a request that is
	// lost with its connection is never sent a second time.
	idleLimit = 500 * time.Millisecond
	// mostIdle bounds the connections that are kept.
	mostIdle = 64
)

// idle keeps connections to the target that can carry another request.
type idle struct {
	mu    sync.Mutex
	conns []idleConn
	over  bool
}

type idleConn struct {
	net.Conn
	since time.Time
}

// take returns the connection that was used last, or nil.
func (p *idle) take() net.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.conns) > 0 {
		last := p.conns[len(p.conns)-1]
		p.conns = p.conns[:len(p.conns)-1]
		if time.Since(last.since) < idleLimit {
			return last.Conn
		}
		last.Close()
	}
	return nil
}

func (p *idle) give(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || len(p.conns) >= mostIdle {
		c.Close()
		return
	}
	p.conns = append(p.conns, idleConn{c, time.Now()})
}

func (p *idle) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// direct tells whether an attempt goes past the fault links. HTTP/2 always does: the links act on single requests.
func (f *Flight) direct() bool { return f.send.Direct || f.request.Protocol == rewrite.HTTP2 }

// flyDirect sends on a connection that is kept alive.
func (f *Flight) flyDirect(ctx context.Context) {
	f.attempt.Began = f.stage.target.clock.now()
	if f.request.Protocol == rewrite.HTTP2 {
		f.flyHTTP2(ctx)
		return
	}
	t := f.stage.target
	conn := f.at.idle.take()
	if conn == nil {
		var err error
		if conn, err = f.at.connect(ctx); err != nil {
			f.land(wire.Result{Outcome: history.Unsent, Reason: "connection: " + err.Error()})
			return
		}
	}
	bytes, err := f.bytes()
	if err != nil {
		conn.Close()
		f.land(wire.Result{Outcome: history.Unsent, Reason: err.Error()})
		return
	}
	result := wire.Do(ctx, conn, wire.Exchange{Bytes: bytes, Method: f.request.Method, Limits: wire.Limits{Keep: f.keep()}})
	f.attempt.Ended = t.clock.now()
	if result.Reusable {
		f.at.idle.give(conn)
	} else {
		conn.Close()
	}
	f.land(result)
}

// flyHTTP2 sends with HTTP/2, on a connection of its own.
func (f *Flight) flyHTTP2(ctx context.Context) {
	t := f.stage.target
	conn, err := f.at.connectHTTP2(ctx)
	if err != nil {
		f.land(wire.Result{Outcome: history.Unsent, Reason: "connection: " + err.Error()})
		return
	}
	defer conn.Close()
	result := wire.DoHTTP2(ctx, conn, f.request, f.host, f.at.base.tls, wire.Limits{Keep: f.keep()})
	f.attempt.Ended = t.clock.now()
	f.land(result)
}

func (i *instance) connectHTTP2(ctx context.Context) (net.Conn, error) {
	config := i.base.tlsConfig()
	if config != nil {
		config.NextProtos = []string{"h2"}
	}
	return i.connectWith(ctx, config)
}

// passed is what a client can tell of what passed on a connection without a link.
func (f *Flight) passed(r wire.Result) history.Link {
	t := f.stage.target
	l := history.Link{
		Reached:      r.Outcome == history.Answered || r.Wrote > 0,
		RequestBytes: r.Wrote,
		RequestWhole: !r.Sent.IsZero(),
		FirstByteAt:  t.clock.at(r.Began), LastRequestAt: t.clock.at(r.Sent),
	}
	if r.Answer != nil {
		l.ResponseBytes = r.Answer.Length
		l.ForwardedBytes = r.Answer.Length
	}
	return l
}

// spoken is what is known of a protocol.
type spoken struct {
	once sync.Once
	yes  bool
}

// Speaks tells whether the target takes requests of a protocol; it is asked once, with a connection that carries no request.
func (s *Stage) Speaks(ctx context.Context, p rewrite.Protocol) bool {
	if p != rewrite.HTTP2 {
		return true
	}
	t := s.target
	t.http2.once.Do(func() {
		limited, cancel := context.WithTimeout(ctx, t.cfg.Timeouts.Request)
		defer cancel()
		conn, err := t.first().connectHTTP2(limited)
		if err != nil {
			return
		}
		defer conn.Close()
		t.http2.yes = wire.SpeaksHTTP2(limited, conn)
	})
	return t.http2.yes
}
