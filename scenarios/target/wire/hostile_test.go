package wire_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

func TestHostileAnswersAreLostInBoundedTimeAndMemory(t *testing.T) {
	t.Parallel()
	block := bytes.Repeat([]byte("x"), 64<<10)
	forever := func(w io.Writer, p []byte) {
		for {
			if _, err := w.Write(p); err != nil {
				return
			}
		}
	}
	for _, c := range []struct {
		name   string
		answer func(w io.Writer)
		reason string
		length int64 // of the partial answer; -1: there is none
		most   int64 // bytes the server could send before it was cut off, beside what the sockets hold
	}{
		{"nothing, connection closed", func(io.Writer) {}, "no answer: the connection was", -1, 0},
		{"half a status line", func(w io.Writer) { io.WriteString(w, "HTTP/1.1 20") }, "the answer broke off in its header: the connection was closed", -1, 0},
		{"half a header", func(w io.Writer) { io.WriteString(w, "HTTP/1.1 200 OK\r\nA: ") }, "the answer broke off in its header: the connection was closed", -1, 0},
		{"garbage for a status line", func(w io.Writer) { io.WriteString(w, "SSH-2.0-x\r\n\r\n") }, `malformed HTTP`, -1, 0},
		{"long garbage", func(w io.Writer) {
			io.WriteString(w, strings.Repeat("g", 20000)+"\r\n\r\n")
		}, "…", -1, 0},
		{"a status line without end", func(w io.Writer) { forever(w, block) }, "header larger than the limit of 64 KiB", -1, wire.HeaderLimit},
		{"headers without end", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\n")
			forever(w, []byte("A: b\r\n"))
		}, "header larger than the limit of 64 KiB", -1, wire.HeaderLimit},
		{"interim answers without end", func(w io.Writer) { forever(w, []byte("HTTP/1.1 100 Continue\r\n\r\n")) }, "more than 16 interim answers", -1, wire.HeaderLimit},
		{"1 GB with its length", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
			forever(w, block)
		}, "answer larger than the limit of 1 MiB", 1 << 20, 1 << 20},
		{"a body without end", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\n\r\n")
			forever(w, block)
		}, "answer larger than the limit of 1 MiB", 1 << 20, 1 << 20},
		{"chunks without end", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			forever(w, append([]byte("10000\r\n"), append(block, "\r\n"...)...))
		}, "answer larger than the limit of 1 MiB", 1 << 20, 1 << 20},
		{"trailers without end", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n")
			forever(w, bytes.Repeat([]byte("A: b\r\n"), 1000))
		}, "", 1, 3 << 20},
		{"a length that is too long", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\nabc")
		}, "the answer broke off after 3 of 10 bytes of its body: the connection was closed", 3, 0},
		{"chunks that break off", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
		}, "the answer broke off after 2 bytes of its body: the connection was closed", 2, 0},
		{"two lengths", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
		}, "Content-Length", -1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int64
			ended := make(chan struct{})
			addr := serve(t, func(conn net.Conn, in *bufio.Reader) {
				defer close(ended)
				request(in)
				c.answer(counting{conn, &sent})
			})
			conn := dial(t, addr)
			x := post(t)
			x.Limits = wire.Limits{Keep: 1000, Body: 1 << 20}
			r := do(t, conn, x)
			conn.Close()
			select {
			case <-ended:
			case <-time.After(generous):
				t.Fatal("the server is still sending")
			}

			if r.Outcome != history.Lost || !strings.Contains(r.Reason, c.reason) || r.Reusable {
				t.Errorf("%s, reusable %v, %q; want it lost with %q", r.Outcome, r.Reusable, r.Reason, c.reason)
			}
			if len(r.Reason) > 400 {
				t.Errorf("a reason of %d bytes quotes too much", len(r.Reason))
			}
			switch {
			case c.length < 0 && r.Answer != nil:
				t.Errorf("answer %+v, want none", r.Answer)
			case c.length >= 0 && (r.Answer == nil || r.Answer.Length != c.length || len(r.Answer.Body) > 1000 || !r.Answer.Truncated):
				t.Errorf("answer %+v, want a truncated one of %d bytes", r.Answer, c.length)
			}
			const sockets = 16 << 20
			if n := sent.Load(); n > c.most+sockets {
				t.Errorf("%d bytes were taken from the server, want at most %d", n, c.most+sockets)
			}
		})
	}
}

func TestATargetThatNeverAnswersIsBoundedByTheContext(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 200 OK\r\n\r\nabc"} {
		t.Run(fmt.Sprintf("after %q", head), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			addr := serve(t, func(conn net.Conn, in *bufio.Reader) {
				request(in)
				io.WriteString(conn, head)
				if head == "" {
					cancel(context.DeadlineExceeded)
				}
				io.Copy(io.Discard, in)
			})
			x := post(t)
			x.Began = func(time.Time) { cancel(context.DeadlineExceeded) }
			r := wire.Do(ctx, dial(t, addr), x)
			if r.Outcome != history.Lost || !strings.HasSuffix(r.Reason, "the time limit passed") {
				t.Errorf("%s, %q; want it lost because the time limit passed", r.Outcome, r.Reason)
			}
		})
	}
}

type counting struct {
	io.Writer
	sent *atomic.Int64
}

func (c counting) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.sent.Add(int64(n))
	return n, err
}
