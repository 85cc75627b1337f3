package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

const (
	// prefaceLimit bounds the wait for a server to say that it speaks HTTP/2.
	prefaceLimit = 2 * time.Second
	// sendWindow is how many bytes of bodies may be sent, on a connection and on a stream, before the server allows more.
	sendWindow = 65535
	// frameLimit is the largest frame that every server takes.
	frameLimit = 16384
)

// ErrNoHTTP2 says that a server does not speak HTTP/2, or not as is needed.
var ErrNoHTTP2 = errors.New("no HTTP/2")

// Streams is an HTTP/2 connection whose requests are collected, and leave in one write: what a server reads at once cannot be
// spread by the network. Make one with OpenHTTP2.
type Streams struct {
	conn  net.Conn
	limit uint32 // streams that the server takes at a time
	body  int64  // bytes of bodies that a stream may begin with
	done  chan struct{}

	write   sync.Mutex // held while something is written to the connection
	replies *http2.Framer

	mu      sync.Mutex
	pending bytes.Buffer // frames of the requests
	frames  *http2.Framer
	fields  bytes.Buffer
	encoder *hpack.Encoder
	data    int64 // bytes of bodies so far
	streams map[uint32]*Stream
	order   []*Stream
	sent    time.Time
	err     error // what ended the connection
}

// OpenHTTP2 begins to speak HTTP/2 on a connection: after ALPN on an encrypted one, with prior knowledge on a plain one. The error
// wraps ErrNoHTTP2 where the server answers otherwise. The connection is the Streams' from then on.
func OpenHTTP2(ctx context.Context, conn net.Conn) (*Streams, error) {
	s := &Streams{conn: conn, limit: 1 << 31, body: sendWindow, done: make(chan struct{}), streams: map[uint32]*Stream{}}
	s.frames, s.replies = http2.NewFramer(&s.pending, nil), http2.NewFramer(conn, conn)
	s.replies.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	s.replies.MaxHeaderListSize = HeaderLimit
	s.replies.SetMaxReadFrameSize(frameLimit)
	s.encoder = hpack.NewEncoder(&s.fields)
	ctx, cancel := context.WithTimeout(ctx, prefaceLimit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	err := s.greet()
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: %w", ErrNoHTTP2, err)
	}
	go s.read()
	return s, nil
}

func (s *Streams) greet() error {
	if _, err := s.conn.Write([]byte(http2.ClientPreface)); err != nil {
		return err
	}
	if err := s.replies.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0}); err != nil {
		return err
	}
	frame, err := s.replies.ReadFrame()
	if err != nil {
		return err
	}
	settings, ok := frame.(*http2.SettingsFrame)
	if !ok || settings.IsAck() {
		return fmt.Errorf("expected its settings first, found %v", frame.Header())
	}
	if n, given := settings.Value(http2.SettingMaxConcurrentStreams); given {
		s.limit = n
	}
	if n, given := settings.Value(http2.SettingInitialWindowSize); given {
		s.body = int64(n)
	}
	return s.replies.WriteSettingsAck()
}

// Close ends the connection with all that is open on it.
func (s *Streams) Close() {
	s.conn.Close()
	<-s.done
}

// Done is closed when the connection has ended, from whichever side.
func (s *Streams) Done() <-chan struct{} { return s.done }

// Add puts a request beside the others, to leave with the next Flush. It fails where the server would not take it at a time with
// them.
func (s *Streams) Add(req rewrite.Request, scheme, host string) (*Stream, error) {
	if err := check(req, host); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size := int64(len(req.Body))
	switch {
	case s.err != nil:
		return nil, s.err
	case uint32(len(s.order)) >= s.limit:
		return nil, fmt.Errorf("%w: the server takes %d requests at a time", ErrNoHTTP2, s.limit)
	case size > s.body || s.data+size > sendWindow:
		return nil, fmt.Errorf("%w: the bodies are larger than what may be sent at once", ErrNoHTTP2)
	}
	s.data += size
	st := &Stream{of: s, id: uint32(2*len(s.order) + 1), method: req.Method, began: make(chan struct{})}
	st.body.wake = sync.NewCond(&st.body.mu)
	before := s.pending.Len()
	if err := s.encode(st.id, req, scheme, host); err != nil {
		return nil, err
	}
	st.size = int64(s.pending.Len() - before)
	s.streams[st.id] = st
	s.order = append(s.order, st)
	return st, nil
}

func (s *Streams) encode(id uint32, req rewrite.Request, scheme, host string) error {
	s.fields.Reset()
	authority := host
	if given, ok := req.Get("Host"); ok {
		authority = given
	}
	put := func(name, value string) { s.encoder.WriteField(hpack.HeaderField{Name: name, Value: value}) }
	put(":method", req.Method)
	put(":scheme", scheme)
	put(":authority", authority)
	put(":path", req.Target())
	for _, f := range req.Header {
		switch name := strings.ToLower(f.Name); name {
		case "host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade": // HTTP/1.1's own
		default:
			put(name, strings.TrimSpace(f.Value))
		}
	}
	if _, given := req.Get("Content-Length"); !given && (req.Body != nil || expectsBody(req.Method)) {
		put("content-length", strconv.Itoa(len(req.Body)))
	}
	block, first := s.fields.Bytes(), true
	for first || len(block) > 0 {
		n := min(len(block), frameLimit)
		var err error
		if first {
			err = s.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block[:n], EndStream: len(req.Body) == 0, EndHeaders: n == len(block)})
		} else {
			err = s.frames.WriteContinuation(id, n == len(block), block[:n])
		}
		if err != nil {
			return err
		}
		block, first = block[n:], false
	}
	for body := req.Body; len(body) > 0; {
		n := min(len(body), frameLimit)
		if err := s.frames.WriteData(id, n == len(body), body[:n]); err != nil {
			return err
		}
		body = body[n:]
	}
	return nil
}

// Flush sends all requests in one write.
func (s *Streams) Flush() error {
	s.mu.Lock()
	bytes := bytes.Clone(s.pending.Bytes())
	s.pending.Reset()
	s.sent = time.Now() // the answers cannot be older, and may be here before we are back
	s.mu.Unlock()
	s.write.Lock()
	_, err := s.conn.Write(bytes)
	s.write.Unlock()
	if err != nil {
		s.mu.Lock()
		s.sent = time.Time{}
		s.mu.Unlock()
	}
	return err
}

// read hands frames to their streams until the connection ends.
func (s *Streams) read() {
	defer close(s.done)
	for {
		frame, err := s.replies.ReadFrame()
		if err == nil {
			err = s.take(frame)
		}
		var broken http2.StreamError
		if errors.As(err, &broken) {
			if st := s.stream(broken.StreamID); st != nil {
				st.end(broken)
			}
			continue
		}
		if err != nil {
			s.mu.Lock()
			s.err = err
			open := s.order
			s.mu.Unlock()
			for _, st := range open {
				st.end(err)
			}
			s.conn.Close()
			return
		}
	}
}

func (s *Streams) stream(id uint32) *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[id]
}

func (s *Streams) take(frame http2.Frame) error {
	st := s.stream(frame.Header().StreamID)
	if st != nil {
		st.count(int64(frame.Header().Length) + 9)
	}
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		if !f.IsAck() {
			return s.reply(func() error { return s.replies.WriteSettingsAck() })
		}
	case *http2.PingFrame:
		if !f.IsAck() {
			return s.reply(func() error { return s.replies.WritePing(true, f.Data) })
		}
	case *http2.GoAwayFrame:
		return fmt.Errorf("the server goes away: %v", f.ErrCode)
	case *http2.RSTStreamFrame:
		if st != nil {
			st.end(fmt.Errorf("the server reset the stream: %v", f.ErrCode))
		}
	case *http2.MetaHeadersFrame:
		if st != nil {
			return st.header(f)
		}
	case *http2.DataFrame:
		if st == nil {
			return fmt.Errorf("data of a stream %d that was never opened", f.StreamID)
		}
		return st.data(f)
	}
	return nil
}

// reply writes a frame of the connection's own.
func (s *Streams) reply(write func() error) error {
	s.write.Lock()
	defer s.write.Unlock()
	return write()
}
