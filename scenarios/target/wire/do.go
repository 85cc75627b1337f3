package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Exchange is one request to be sent. Only Bytes is required.
type Exchange struct {
	Bytes  []byte // all of it, as Bytes writes it
	Method string // tells how to read the answer: that to HEAD has no body
	Limits Limits
	HangUp bool // close the connection right after the last request byte
	Ahead  int  // so many of the bytes are on the connection already

	// Hooks, called once at most, from the goroutine of Do. They must not block.
	Written func(time.Time) // the last request byte was written
	Began   func(time.Time) // the first byte of the answer (or of an interim one) was read
}

// Result is what became of a request.
type Result struct {
	Outcome string    // history.Answered, Lost or Unsent
	Reason  string    // in words, with Lost and Unsent
	Answer  *Answer   // whole with Answered; with Lost as far as it came, nil before its header was complete
	Interim []int     // statuses of the 1xx answers before it
	Wrote   int64     // request bytes written
	Sent    time.Time // when the last of them was; zero: never
	Began   time.Time // when the first byte of the answer was read; zero: never
	// TimedOut tells that the context's deadline ended it.
	TimedOut bool
	// Open tells that the answer ended where the connection did: whether it was cut cannot be told from it.
	Open bool
	// Reusable tells that the connection can carry another request.
	Reusable bool

	announced int64 // Content-Length; 0 or less: none
}

// Do writes the request and reads one answer. It never writes twice, and never dials.
//
// The context bounds all of it: when it ends, the connection is closed. The connection is left to the caller otherwise, who
// closes it unless it is Reusable; HangUp closes it as well.
func Do(ctx context.Context, conn net.Conn, x Exchange) Result {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()

	var r Result
	writeErr := r.write(conn, x)
	switch {
	case writeErr != nil && r.Wrote == 0:
		r.Outcome, r.Reason = history.Unsent, because(ctx, writeErr, "nothing of the request could be written")
		return r
	case writeErr == nil && x.HangUp:
		conn.Close()
		r.Outcome, r.Reason = history.Lost, "the client hung up after the last request byte"
		return r
	}
	// Also after a failed write: a server may answer early and close.
	readErr := r.read(conn, x)
	if readErr == nil {
		r.Outcome = history.Answered
		r.Reusable = stop() && r.Reusable && writeErr == nil
		return r
	}
	r.Outcome, r.TimedOut = history.Lost, timedOut(ctx)
	r.Reason = because(ctx, readErr, r.stage())
	if writeErr != nil && ctx.Err() == nil {
		r.Reason = fmt.Sprintf("%s; only %d of %d request bytes could be written (%s)", r.Reason, r.Wrote, len(x.Bytes), plain(writeErr))
	}
	return r
}

func timedOut(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

func (r *Result) write(conn net.Conn, x Exchange) error {
	n, err := conn.Write(x.Bytes[x.Ahead:])
	r.Wrote = int64(x.Ahead + n)
	if err != nil {
		return err
	}
	r.Sent = time.Now()
	if x.Written != nil {
		x.Written(r.Sent)
	}
	return nil
}

// stage says how far the answer had come when it ended.
func (r *Result) stage() string {
	switch {
	case r.Began.IsZero():
		return "no answer"
	case r.Answer == nil:
		return "the answer broke off in its header"
	case r.announced > 0:
		return fmt.Sprintf("the answer broke off after %d of %d bytes of its body", r.Answer.Length, r.announced)
	default:
		return fmt.Sprintf("the answer broke off after %d bytes of its body", r.Answer.Length)
	}
}

// because joins what was seen and why, for people. A context that ended is the reason, whatever error it caused.
func because(ctx context.Context, err error, seen string) string {
	switch ended := context.Cause(ctx); {
	case errors.Is(ended, context.DeadlineExceeded):
		return seen + ": the time limit passed"
	case errors.Is(ended, context.Canceled):
		return seen + ": the client gave up"
	case ended != nil:
		return seen + ": " + ended.Error()
	}
	return seen + ": " + plain(err)
}

// plain names the common ends of a connection in words.
func plain(err error) string {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	case errors.Is(err, syscall.ECONNRESET):
		return "the connection was reset"
	case errors.Is(err, syscall.EPIPE):
		return "the connection was closed by the other side"
	case errors.Is(err, net.ErrClosed):
		return "the connection was closed on this side"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "the time limit passed"
	}
	const most = 200 // an error may quote what a hostile target sent
	text := err.Error()
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}
