package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/oncespec/oncespec/faults/valve"
)

// Bounds on callers, who may be broken or hostile.
const (
	headerLimit  = 10 * time.Second // to send the headers
	bodyLimit    = 10 * time.Second // to send the body
	headerBytes  = 64 << 10
	recordedBody = 1 << 20
	acceptedBody = 32 << 20
	maxConns     = 4096
	closeLimit   = 5 * time.Second // for handlers to notice that the gate closes
)

// Gate is the stub provider. It is an http.Handler; Listen gives it a server of its own.
type Gate struct {
	options Options
	ledger  *ledger

	before, after            valve.Valve[Call]
	failing, losing, lookups interventions

	ctx      context.Context // ends when the gate closes
	cancel   context.CancelFunc
	handlers sync.WaitGroup
	mu       sync.Mutex // orders handlers.Add before handlers.Wait
	closed   bool

	server *http.Server // nil without Listen
	addr   net.Addr
	conns  atomic.Int64
}

// New returns a gate that somebody else serves.
func New(o Options) (*Gate, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	g := &Gate{options: o, ledger: newLedger(o)}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g, nil
}

// Listen returns a gate that serves on addr (host:port; empty is a free port on loopback).
func Listen(addr string, o Options) (*Gate, error) {
	g, err := New(o)
	if err != nil {
		return nil, err
	}
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("downstream gate: %s is taken by another program; stop it, or let the target call another address: %w", addr, err)
	}
	if err != nil {
		return nil, fmt.Errorf("downstream gate: cannot listen on %s: %w", addr, err)
	}
	g.addr = l.Addr()
	g.server = &http.Server{
		Handler:           g,
		ReadHeaderTimeout: headerLimit,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          log.New(io.Discard, "", 0), // what callers do wrong is in the ledger
		ConnContext:       withConn,
		ConnState:         g.bound,
	}
	go func() { _ = g.server.Serve(l) }()
	return g, nil
}

// URL is where the gate listens, without a final slash; "" if it has no server of its own.
func (g *Gate) URL() string {
	if g.addr == nil {
		return ""
	}
	host, port, _ := net.SplitHostPort(g.addr.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Close ends every call, held ones without an answer and without a booking, and stops listening. The ledger stays readable.
// It may be called more than once.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.cancel()
	g.before.Close()
	g.after.Close()
	if g.server != nil {
		_ = g.server.Close()
	}
	ended := make(chan struct{})
	go func() {
		g.handlers.Wait()
		close(ended)
	}()
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
}

// enter counts a handler in; false means that the gate is closed.
func (g *Gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.handlers.Add(1)
	g.ledger.enter(+1)
	return true
}

func (g *Gate) leave() {
	g.ledger.enter(-1)
	g.handlers.Done()
}

// bound closes connections beyond the limit at once.
func (g *Gate) bound(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if g.conns.Add(1) > maxConns {
			c.Close()
		}
	case http.StateClosed, http.StateHijacked:
		g.conns.Add(-1)
	}
}
