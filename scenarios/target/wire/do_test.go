package wire_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// generous bounds what should end by itself.
const generous = 30 * time.Second

// serve runs a server. The connection is closed when handle returns.
func serve(t testing.TB, handle func(conn net.Conn, in *bufio.Reader)) (addr string) {
	t.Helper()
	return linktest.Listen(t, func(conn net.Conn) { handle(conn, bufio.NewReader(conn)) })
}

func dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func post(t testing.TB) wire.Exchange {
	t.Helper()
	raw, err := wire.Bytes(rewrite.Request{
		Method: "POST", Path: "/orders",
		Header: fields("Idempotency-Key", "k-1"),
		Body:   []byte(`{"n":1}`),
	}, "api.test")
	if err != nil {
		t.Fatal(err)
	}
	return wire.Exchange{Bytes: raw, Method: "POST"}
}

func do(t testing.TB, conn net.Conn, x wire.Exchange) wire.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	return wire.Do(ctx, conn, x)
}

func request(in *bufio.Reader) error {
	req, err := http.ReadRequest(in)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err
}

// A server that executes every request and loses the answer to all but the first on each connection. With net/http, one
// http.Client.Do of this request on the reused connection reaches such a server two or three times: the transport takes an
// Idempotency-Key for a promise that sending again is harmless, which is the very thing to be tested.
func TestALostAnswerOnAReusedConnectionIsNotSentAgain(t *testing.T) {
	t.Parallel()
	var executed atomic.Int64
	addr := serve(t, func(conn net.Conn, in *bufio.Reader) {
		for first := true; request(in) == nil; first = false {
			executed.Add(1)
			if !first {
				return
			}
			fmt.Fprint(conn, "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	conn := dial(t, addr)

	warm := do(t, conn, post(t))
	if warm.Outcome != history.Answered || !warm.Reusable {
		t.Fatalf("the first answer: %+v, want one on a reusable connection", warm)
	}
	lost := do(t, conn, post(t))
	if lost.Outcome != history.Lost || lost.Answer != nil {
		t.Errorf("the second answer: %+v, want it lost", lost)
	}
	if n := executed.Load(); n != 2 {
		t.Errorf("%d requests reached the server, want 2: one for each call", n)
	}
}

func TestAnAnswerIsKeptAsItCame(t *testing.T) {
	t.Parallel()
	addr := serve(t, func(conn net.Conn, in *bufio.Reader) {
		request(in)
		fmt.Fprint(conn, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"+
			"HTTP/1.1 201 Created\r\nx-trace: 1\r\nX-Trace: 2\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
		io.Copy(io.Discard, in)
	})
	x := post(t)
	var written, began []time.Time
	x.Written = func(at time.Time) { written = append(written, at) }
	x.Began = func(at time.Time) { began = append(began, at) }
	x.Limits.Keep = 4
	r := do(t, dial(t, addr), x)

	if r.Outcome != history.Answered || r.Reason != "" || r.Open || !r.Reusable {
		t.Fatalf("%+v, want a whole answer on a reusable connection", r)
	}
	if fmt.Sprint(r.Interim) != "[100 103]" {
		t.Errorf("interim answers %v, want 100 and 103", r.Interim)
	}
	a := r.Answer
	if a.Status != 201 || fmt.Sprint(a.Header["X-Trace"]) != "[1 2]" {
		t.Errorf("status %d and header %v, want 201 and both X-Trace", a.Status, a.Header)
	}
	const sumOfABCDE = "36bbe50ed96841d10443bcb670d6554f0a34b761be67ec9c4a8ad2c0c44ca42c"
	if string(a.Body) != "abcd" || a.Length != 5 || !a.Truncated || a.SHA256 != sumOfABCDE {
		t.Errorf("body %q of %d bytes (truncated %v, %s), want the head abcd of 5 and the hash of all", a.Body, a.Length, a.Truncated, a.SHA256)
	}
	if r.Wrote != int64(len(x.Bytes)) || len(written) != 1 || len(began) != 1 || !written[0].Equal(r.Sent) || !began[0].Equal(r.Began) {
		t.Errorf("wrote %d of %d bytes, hooks %v and %v, result %v and %v; want all bytes, and each hook once with the result's time",
			r.Wrote, len(x.Bytes), written, began, r.Sent, r.Began)
	}
}

func TestWhereAnAnswerEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, method, sent string
		body               string
		open, reusable     bool
	}{
		{"to HEAD at its header", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "", false, true},
		{"204 at its header", "POST", "HTTP/1.1 204 No Content\r\n\r\n", "", false, true},
		{"with the connection", "POST", "HTTP/1.1 200 OK\r\n\r\nabc", "abc", true, false},
		{"of HTTP/1.0 with the connection", "POST", "HTTP/1.0 200 OK\r\n\r\nabc", "abc", true, false},
		{"at its length, although more follows", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcGARBAGE", "abc", false, false},
		{"on a connection that closes", "POST", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc", "abc", false, false},
		{"at a switch of protocols", "POST", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc", "", false, false},
		{"a redirect, which is not followed", "POST", "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			addr := serve(t, func(conn net.Conn, in *bufio.Reader) {
				request(in)
				io.WriteString(conn, c.sent)
			})
			x := post(t)
			x.Method = c.method
			r := do(t, dial(t, addr), x)
			if r.Outcome != history.Answered {
				t.Fatalf("%+v, want a whole answer", r)
			}
			if string(r.Answer.Body) != c.body || r.Open != c.open || r.Reusable != c.reusable {
				t.Errorf("body %q, open %v, reusable %v; want %q, %v, %v", r.Answer.Body, r.Open, r.Reusable, c.body, c.open, c.reusable)
			}
		})
	}
}

func TestTheClientCanHangUp(t *testing.T) {
	t.Parallel()
	got := make(chan error, 1)
	addr := serve(t, func(conn net.Conn, in *bufio.Reader) {
		err := request(in)
		if err == nil {
			_, err = in.ReadByte()
		}
		got <- err
	})
	x := post(t)
	x.HangUp = true
	r := do(t, dial(t, addr), x)
	if r.Outcome != history.Lost || r.Reason != "the client hung up after the last request byte" || r.Sent.IsZero() {
		t.Errorf("%+v, want the answer lost because the client hung up", r)
	}
	select {
	case err := <-got:
		if err != io.EOF {
			t.Errorf("the server saw %v, want the whole request and then the end", err)
		}
	case <-time.After(generous):
		t.Fatal("the server saw no end of the connection")
	}
}

func TestAContextThatEndsIsTheReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(cancel context.CancelCauseFunc)
		want string
	}{
		{"given up", func(cancel context.CancelCauseFunc) { cancel(nil) }, "no answer: the client gave up"},
		{"out of time", func(cancel context.CancelCauseFunc) { cancel(context.DeadlineExceeded) }, "no answer: the time limit passed"},
		{"for a cause", func(cancel context.CancelCauseFunc) { cancel(errors.New("the target was killed")) }, "no answer: the target was killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			addr := serve(t, func(conn net.Conn, in *bufio.Reader) { io.Copy(io.Discard, in) })
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			x := post(t)
			x.Written = func(time.Time) { c.end(cancel) }
			r := wire.Do(ctx, dial(t, addr), x)
			if r.Outcome != history.Lost || r.Reason != c.want || r.TimedOut != (c.name == "out of time") {
				t.Errorf("%s, %q; want lost, %q", r.Outcome, r.Reason, c.want)
			}
		})
	}
}

func TestNothingIsSentOnAClosedConnection(t *testing.T) {
	t.Parallel()
	conn := dial(t, serve(t, func(net.Conn, *bufio.Reader) {}))
	conn.Close()
	r := do(t, conn, post(t))
	if r.Outcome != history.Unsent || r.Wrote != 0 || !strings.HasPrefix(r.Reason, "nothing of the request could be written: ") {
		t.Errorf("%+v, want it unsent", r)
	}
}

func TestAnEarlyAnswerIsReadAlthoughTheRequestCouldNotBeWritten(t *testing.T) {
	t.Parallel()
	client, server := net.Pipe()
	defer client.Close()
	go func() {
		io.ReadFull(server, make([]byte, 4))
		server.Close()
	}()
	r := do(t, client, post(t))
	if r.Outcome != history.Lost || r.Wrote != 4 || !strings.Contains(r.Reason, "only 4 of ") {
		t.Errorf("%+v, want it lost after 4 bytes", r)
	}
}

func ExampleDo() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "made for %s", r.Header.Get("Idempotency-Key"))
	}))

	raw, err := wire.Bytes(rewrite.Request{Method: "POST", Path: "/orders", Header: []rewrite.Field{{Name: "Idempotency-Key", Value: "k-1"}}}, "api.test")
	if err != nil {
		fmt.Println(err)
		return
	}
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r := wire.Do(ctx, conn, wire.Exchange{Bytes: raw, Method: "POST"})
	fmt.Println(r.Outcome, r.Answer.Status, string(r.Answer.Body))
	// Output: answered 201 made for k-1
}
