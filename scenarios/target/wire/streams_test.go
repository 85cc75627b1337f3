package wire_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// unencrypted serves HTTP/2 with prior knowledge.
func unencrypted(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handle)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func streams(t *testing.T, addr string) *wire.Streams {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s, err := wire.OpenHTTP2(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func order(n int) rewrite.Request {
	return rewrite.Request{Method: "POST", Path: "/orders", RawQuery: "a=b", Header: fields("Idempotency-Key", fmt.Sprint("k-", n), "Connection", "close"),
		Body: fmt.Appendf(nil, `{"n":%d}`, n)}
}

// TestRequestsInOneWrite: nothing leaves before the flush, then all of them do, and each gets its own answer.
func TestRequestsInOneWrite(t *testing.T) {
	t.Parallel()
	const n = 20
	var all sync.WaitGroup // nobody is answered before all are there
	all.Add(n)
	large := strings.Repeat("x", 200_000)
	addr := unencrypted(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all.Done()
		all.Wait()
		w.Header().Set("Echo", r.Header.Get("Idempotency-Key")+" "+r.Host+" "+r.RequestURI)
		w.WriteHeader(http.StatusCreated)
		w.Write(append(body, large...))
	})
	s := streams(t, addr)
	var mine []*wire.Stream
	for i := range n {
		st, err := s.Add(order(i), "http", "api.test")
		if err != nil {
			t.Fatal(err)
		}
		if p := st.Proof(); p.Sent != 0 || !p.At.IsZero() {
			t.Fatalf("sent ahead: %+v", p)
		}
		mine = append(mine, st)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	var reading sync.WaitGroup
	for i, st := range mine {
		reading.Go(func() {
			r := st.Await(ctx, wire.Limits{Keep: 100}, nil)
			want := fmt.Sprintf(`{"n":%d}`, i)
			if r.Outcome != history.Answered || r.Answer.Status != 201 || !bytes.HasPrefix(r.Answer.Body, []byte(want)) ||
				r.Answer.Length != int64(len(want)+len(large)) || r.Answer.Header.Get("Echo") != fmt.Sprintf("k-%d api.test /orders?a=b", i) {
				t.Errorf("%d: %+v %+v", i, r, r.Answer)
			}
			if p := st.Proof(); p.Sent != st.Size() || p.Received < int64(len(large)) || p.First.Before(p.At) {
				t.Errorf("%d: proof %+v", i, p)
			}
		})
	}
	reading.Wait()
}

// TestStreamsThatAreNotAnswered: each failure is that of the streams it concerns.
// TestAnswersAreNotOlderThanTheirRequests: a request counts as sent from when its write began, since it may be answered before
// that write has returned.
func TestAnswersAreNotOlderThanTheirRequests(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe() // a write returns only when all of it has been read
	t.Cleanup(func() { far.Close() })
	opened := make(chan error, 1)
	framer := http2.NewFramer(far, far)
	go func() {
		_, err := io.CopyN(io.Discard, far, int64(len(http2.ClientPreface)))
		if err == nil {
			_, err = framer.ReadFrame() // its settings
		}
		if err == nil {
			err = framer.WriteSettings()
		}
		if err == nil {
			_, err = framer.ReadFrame() // that it has ours
		}
		opened <- err
	}()
	s, err := wire.OpenHTTP2(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	st, err := s.Add(order(1), "http", "api.test")
	if err != nil {
		t.Fatal(err)
	}
	flushed := make(chan error, 1)
	go func() { flushed <- s.Flush() }()
	if _, err := io.ReadFull(far, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	had := time.Now()
	if p := st.Proof(); p.At.IsZero() || p.At.After(had) || p.Sent != st.Size() {
		t.Errorf("while it is written: %+v", p)
	}
	if _, err := io.CopyN(io.Discard, far, st.Size()-1); err != nil {
		t.Fatal(err)
	}
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	if p := st.Proof(); p.At.IsZero() || p.At.After(had) {
		t.Errorf("the server had the beginning at %v: %+v", had, p)
	}
}

func TestStreamsThatAreNotAnswered(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(t.Context())
	addr := unencrypted(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Idempotency-Key") {
		case "k-0":
			panic(http.ErrAbortHandler)
		case "k-1":
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "k-2":
			giveUp()
			<-r.Context().Done() // the stream is reset where the client gives up
		}
	})
	s := streams(t, addr)
	var mine []*wire.Stream
	for i := range 4 {
		st, err := s.Add(order(i), "http", "api.test")
		if err != nil {
			t.Fatal(err)
		}
		mine = append(mine, st)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"reset", "broke off", "gave up", ""} {
		within := t.Context()
		if i == 2 {
			within = ctx
		}
		r := mine[i].Await(within, wire.Limits{}, nil)
		if lost := r.Outcome == history.Lost; lost != (want != "") || !strings.Contains(r.Reason, want) {
			t.Errorf("%d: expected %q, found %s %q", i, want, r.Outcome, r.Reason)
		}
	}
}

func TestServersWithoutHTTP2(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(net.Conn, *bufio.Reader){
		"HTTP/1.1": func(c net.Conn, in *bufio.Reader) {
			in.ReadString('\n')
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		},
		"closes": func(net.Conn, *bufio.Reader) {},
		"other frames first": func(c net.Conn, in *bufio.Reader) {
			http2.NewFramer(c, nil).WritePing(false, [8]byte{})
		},
	} {
		addr := serve(t, handle)
		if _, err := wire.OpenHTTP2(t.Context(), dial(t, addr)); !errors.Is(err, wire.ErrNoHTTP2) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	silent := serve(t, func(c net.Conn, in *bufio.Reader) { in.ReadByte(); cancel(); io.Copy(io.Discard, c) })
	if _, err := wire.OpenHTTP2(ctx, dial(t, silent)); !errors.Is(err, wire.ErrNoHTTP2) {
		t.Errorf("silent: %v", err)
	}
}

// TestHostileHTTP2: a server that breaks the protocol cannot hang or exhaust the client.
func TestHostileHTTP2(t *testing.T) {
	t.Parallel()
	for name, behave := range map[string]func(f *http2.Framer, fields []byte){
		"more data than allowed": func(f *http2.Framer, fields []byte) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: fields, EndHeaders: true})
			for range 8 {
				f.WriteData(1, false, make([]byte, 16384))
			}
		},
		"interim answers for ever": func(f *http2.Framer, _ []byte) {
			var block bytes.Buffer
			hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: "103"})
			for range 100 {
				f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
			}
		},
		"no status": func(f *http2.Framer, _ []byte) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true, EndStream: true})
		},
		"goes away":      func(f *http2.Framer, _ []byte) { f.WriteGoAway(0, http2.ErrCodeNo, nil) },
		"data of nobody": func(f *http2.Framer, _ []byte) { f.WriteData(99, true, []byte("x")) },
		"a huge frame":   func(f *http2.Framer, _ []byte) { f.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, 1<<20)) },
	} {
		addr := serve(t, func(c net.Conn, in *bufio.Reader) {
			f := http2.NewFramer(c, in)
			in.Discard(len(http2.ClientPreface))
			f.WriteSettings()
			for {
				frame, err := f.ReadFrame()
				if err != nil {
					return
				}
				if frame.Header().StreamID == 1 && frame.Header().Flags.Has(http2.FlagDataEndStream) {
					break
				}
			}
			var block bytes.Buffer
			hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
			behave(f, block.Bytes())
			io.Copy(io.Discard, in)
		})
		s := streams(t, addr)
		st, err := s.Add(order(0), "http", "api.test")
		if err != nil {
			t.Fatal(err)
		}
		s.Flush()
		// Nobody reads the body before the server is done: what it sends piles up.
		if name == "more data than allowed" {
			<-s.Done()
		}
		ctx, cancel := context.WithTimeout(t.Context(), generous)
		if r := st.Await(ctx, wire.Limits{}, nil); r.Outcome != history.Lost || ctx.Err() != nil {
			t.Errorf("%s: %+v", name, r)
		}
		cancel()
	}
}

func TestMoreThanAtOnce(t *testing.T) {
	t.Parallel()
	s := streams(t, unencrypted(t, func(http.ResponseWriter, *http.Request) {}))
	big := order(1)
	big.Body = make([]byte, 70_000)
	if _, err := s.Add(big, "http", "api.test"); !errors.Is(err, wire.ErrNoHTTP2) {
		t.Errorf("a body over the window: %v", err)
	}
	for i := range 1000 {
		if _, err := s.Add(rewrite.Request{Method: "POST", Path: "/"}, "http", "api.test"); err != nil {
			if !errors.Is(err, wire.ErrNoHTTP2) || i != 250 { // net/http takes 250 streams
				t.Errorf("request %d: %v", i, err)
			}
			return
		}
	}
	t.Error("the server's limit was not noticed")
}
