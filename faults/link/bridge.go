package link

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// dialLimit bounds a dial by a bridge, handshake included.
const dialLimit = 10 * time.Second

// bridge takes plain connections on loopback and carries them to an upstream that speaks TLS, is far away, or moves. Unlike
// Toxiproxy's, its dials are bounded and end when it is closed.
type bridge struct {
	up       Upstream
	listener net.Listener
	ledger   *ledger
	ctx      context.Context
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

func openBridge(up Upstream, host string, ledger *ledger) (*bridge, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("bridge: %w", err)
	}
	if up.TLS != nil {
		up.TLS = up.TLS.Clone()
		if up.TLS.ServerName == "" {
			up.TLS.ServerName = host
		}
	}
	b := &bridge{up: up, listener: listener, ledger: ledger}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.running.Go(b.accept)
	return b, nil
}

func (b *bridge) addr() string { return b.listener.Addr().String() }

func (b *bridge) close() {
	b.cancel()
	b.listener.Close()
	b.running.Wait()
}

func (b *bridge) accept() {
	for {
		near, err := b.listener.Accept()
		if err != nil {
			return
		}
		b.running.Go(func() { b.carry(near.(*net.TCPConn)) })
	}
}

func (b *bridge) carry(near *net.TCPConn) {
	defer near.Close()
	far, err := b.dial()
	if err == nil {
		b.ledger.note(func(p *Proof) { p.Connections++ })
	} else {
		if b.ctx.Err() == nil {
			b.ledger.note(func(p *Proof) { p.DialError = err.Error() })
		}
		return
	}
	defer far.Close()
	// Closing both sockets is what ends the copies, whether the wire is closed or one side leaves.
	defer context.AfterFunc(b.ctx, func() { near.Close(); far.Close() })()

	var answers sync.WaitGroup
	answers.Go(func() {
		_, _ = io.Copy(near, far)
		_ = near.CloseWrite() // the proxy reads all that was sent, then closes its side, which ends the copy below
	})
	_, _ = io.Copy(counted{far, b.ledger}, near)
	far.Close()
	answers.Wait()
}

func (b *bridge) dial() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(b.ctx, dialLimit)
	defer cancel()
	addr := b.up.Addr
	if b.up.Find != nil {
		var err error
		if addr, err = b.up.Find(); err != nil {
			return nil, err
		}
	}
	if b.up.TLS == nil {
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	return (&tls.Dialer{Config: b.up.TLS}).DialContext(ctx, "tcp", addr)
}

// counted notes what was written: behind a bridge only the bridge knows what left for the upstream.
type counted struct {
	io.Writer
	ledger *ledger
}

func (c counted) Write(data []byte) (int, error) {
	at := time.Now() // the answer to it cannot be older, and may be seen before we are back
	n, err := c.Writer.Write(data)
	if n > 0 {
		c.ledger.requestForwarded(n, at)
	}
	return n, err
}
