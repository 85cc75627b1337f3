package storetest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Link is a way to a database that a test can cut or hold. It sees what passes, so the connections through it are not encrypted.
type Link struct {
	Location string // of the store, by way of the link

	upstream string
	mu       sync.Mutex
	down     bool
	losing   []byte // the answer to the next request that holds this text is lost
	open     map[net.Conn]bool
	held     chan struct{} // closed: what arrives passes
	running  sync.WaitGroup
}

// NewLink leads to a location that Schema returned. It ends with the test.
func NewLink(t testing.TB, location string) *Link {
	t.Helper()
	u, err := url.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{upstream: u.Host, open: map[net.Conn]bool{}, held: make(chan struct{})}
	close(l.held)
	if u.Port() == "" {
		l.upstream = net.JoinHostPort(u.Hostname(), "5432")
	}
	u.Host = listener.Addr().String()
	query := u.Query()
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	l.Location = u.String()
	l.running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			l.running.Go(func() { l.serve(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.Cut()
		l.Mend()
		l.running.Wait()
	})
	return l
}

// Cut breaks all connections and turns new ones away, until Mend.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for conn := range l.open {
		conn.Close()
	}
}

// Hold keeps what is sent either way until Mend; the connections stay.
func (l *Link) Hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = make(chan struct{})
}

// Mend lets everything through again.
func (l *Link) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
	select {
	case <-l.held:
	default:
		close(l.held)
	}
}

// IsDown tells whether the link was cut, and not mended since.
func (l *Link) IsDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

func (l *Link) wait() {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	<-held
}

// LoseAnswer has the next request that holds the text answered by the database, and the link cut before the answer arrives.
func (l *Link) LoseAnswer(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losing = []byte(text)
}

func (l *Link) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", l.upstream)
	if err != nil {
		return
	}
	defer server.Close()
	if !l.add(client, server) {
		return
	}
	defer l.remove(client, server)
	lose := make(chan struct{})
	l.running.Go(func() {
		defer server.Close()
		chunk := make([]byte, 64<<10)
		for {
			n, err := client.Read(chunk)
			l.wait()
			if l.loses(chunk[:n]) {
				close(lose)
			}
			if _, failed := server.Write(chunk[:n]); failed != nil || err != nil {
				return
			}
		}
	})
	chunk := make([]byte, 64<<10)
	for {
		n, err := server.Read(chunk)
		l.wait()
		select {
		case <-lose:
			if n > 0 {
				l.Cut()
				return
			}
		default:
		}
		if _, failed := client.Write(chunk[:n]); failed != nil || err != nil {
			return
		}
	}
}

func (l *Link) add(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		l.open[conn] = true
	}
	return !l.down
}

func (l *Link) remove(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		delete(l.open, conn)
	}
}

func (l *Link) loses(request []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.losing == nil || !bytes.Contains(request, l.losing) {
		return false
	}
	l.losing = nil
	return true
}
