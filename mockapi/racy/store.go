package racy

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// patience bounds one question to the store.
const patience = 5 * time.Second

// Store keeps the records of a Server elsewhere: a line "has KEY" is answered "yes" or "no", "insert KEY" is answered "ok".
type Store struct {
	listener net.Listener
	memory   memory
	serving  sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// Listen starts a store at an address such as 127.0.0.1:0.
func Listen(addr string) (*Store, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("store of the known-racy server: %w", err)
	}
	s := &Store{listener: l, memory: memory{keys: map[string]bool{}}, conns: map[net.Conn]bool{}}
	s.serving.Go(s.accept)
	return s, nil
}

// Addr is where it listens.
func (s *Store) Addr() string { return s.listener.Addr().String() }

// Close ends it with all its connections.
func (s *Store) Close() {
	s.listener.Close()
	s.mu.Lock()
	for c := range s.conns {
		c.Close()
	}
	s.conns = nil
	s.mu.Unlock()
	s.serving.Wait()
}

func (s *Store) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.conns == nil {
			c.Close()
		} else {
			s.conns[c] = true
			s.serving.Go(func() { s.serve(c) })
		}
		s.mu.Unlock()
	}
}

func (s *Store) serve(c net.Conn) {
	defer func() {
		c.Close()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		verb, key, _ := strings.Cut(lines.Text(), " ")
		answer := "what?"
		switch verb {
		case "has":
			answer = "no"
			if known, _ := s.memory.has(context.Background(), key); known {
				answer = "yes"
			}
		case "insert":
			_ = s.memory.insert(context.Background(), key)
			answer = "ok"
		}
		if _, err := fmt.Fprintln(c, answer); err != nil {
			return
		}
	}
}

// client asks a Store, over as many connections as there are questions at a time.
type client struct {
	addr string

	mu     sync.Mutex
	idle   []net.Conn
	closed bool
}

func (c *client) has(ctx context.Context, key string) (bool, error) {
	answer, err := c.ask(ctx, "has "+key)
	return answer == "yes", err
}

func (c *client) insert(ctx context.Context, key string) error {
	_, err := c.ask(ctx, "insert "+key)
	return err
}

func (c *client) ask(ctx context.Context, line string) (answer string, err error) {
	conn, err := c.take(ctx)
	if err != nil {
		return "", err
	}
	defer func() { c.give(conn, err == nil) }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err = fmt.Fprintln(conn, line); err != nil {
		return "", err
	}
	answer, err = bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(answer), err
}

func (c *client) take(ctx context.Context) (net.Conn, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		conn := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return conn, nil
	}
	c.mu.Unlock()
	return new(net.Dialer).DialContext(ctx, "tcp", c.addr)
}

func (c *client) give(conn net.Conn, sound bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || !sound {
		conn.Close()
		return
	}
	c.idle = append(c.idle, conn)
}

func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, conn := range c.idle {
		conn.Close()
	}
	c.idle = nil
}
