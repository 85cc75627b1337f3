package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Stream is one request on an HTTP/2 connection, and its answer.
type Stream struct {
	of     *Streams
	id     uint32
	method string
	size   int64         // bytes of its frames
	began  chan struct{} // closed when the header of the answer is there, or none will come
	body   streamBody

	mu       sync.Mutex
	status   int
	fields   http.Header
	interim  []int
	first    time.Time // when the answer began
	received int64
	ended    bool
	err      error
}

// StreamProof is what is known of a stream's bytes.
type StreamProof struct {
	Sent     int64     // bytes of its frames that were written
	At       time.Time // when they were
	Received int64
	First    time.Time // when the first frame of the answer came
}

// Size is how many bytes its frames have.
func (st *Stream) Size() int64 { return st.size }

// Proof is what is known so far.
func (st *Stream) Proof() StreamProof {
	st.of.mu.Lock()
	at := st.of.sent
	st.of.mu.Unlock()
	st.mu.Lock()
	defer st.mu.Unlock()
	p := StreamProof{At: at, Received: st.received, First: st.first}
	if !at.IsZero() {
		p.Sent = st.size
	}
	return p
}

// Await reads the answer. When the context ends first, the stream is given up.
func (st *Stream) Await(ctx context.Context, limits Limits, began func(time.Time)) (r Result) {
	defer context.AfterFunc(ctx, func() {
		_ = st.of.reply(func() error { return st.of.replies.WriteRSTStream(st.id, http2.ErrCodeCancel) })
		st.end(context.Cause(ctx))
	})()
	<-st.began
	st.mu.Lock()
	status, fields, first, err := st.status, st.fields, st.first, st.err
	r = Result{Interim: st.interim, Began: first}
	st.mu.Unlock()
	defer func() { r.TimedOut = r.Outcome != history.Answered && timedOut(ctx) }()
	if proof := st.Proof(); !proof.At.IsZero() {
		r.Wrote, r.Sent = proof.Sent, proof.At
	}
	switch {
	case status == 0 && r.Wrote == 0:
		r.Outcome, r.Reason = history.Unsent, because(ctx, err, "nothing of the request could be written")
		return r
	case status == 0:
		r.Outcome, r.Reason = history.Lost, because(ctx, err, "no answer")
		return r
	}
	if began != nil {
		began(first)
	}
	r.Outcome = history.Answered
	r.Answer, err = ReadAnswer(&http.Response{StatusCode: status, Header: fields, Body: &st.body}, limits)
	if err != nil {
		r.Outcome, r.Reason = history.Lost, because(ctx, err, fmt.Sprintf("the answer broke off after %d bytes of its body", r.Answer.Length))
	}
	return r
}

func (st *Stream) count(n int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.first.IsZero() {
		st.first = time.Now()
	}
	st.received += n
}

// header takes the header of an answer, of an interim one, or trailers.
func (st *Stream) header(f *http2.MetaHeadersFrame) error {
	if f.Truncated {
		st.end(fmt.Errorf("header larger than the limit of %s", size(HeaderLimit)))
		return nil
	}
	st.mu.Lock()
	known := st.status != 0
	status, err := strconv.Atoi(f.PseudoValue("status"))
	switch {
	case known: // trailers
	case err != nil || status < 100 || status > 999:
		st.mu.Unlock()
		st.end(fmt.Errorf("expected a status, found %q", f.PseudoValue("status")))
		return nil
	case status < 200:
		if st.interim = append(st.interim, status); len(st.interim) > interimLimit {
			st.mu.Unlock()
			st.end(fmt.Errorf("more than %d interim answers", interimLimit))
			return nil
		}
	default:
		st.status, st.fields = status, http.Header{}
		for _, field := range f.RegularFields() {
			st.fields.Add(field.Name, field.Value)
		}
		close(st.began)
	}
	st.mu.Unlock()
	if f.StreamEnded() {
		st.end(io.EOF)
	}
	return nil
}

func (st *Stream) data(f *http2.DataFrame) error {
	padded := int64(f.Header().Length)
	if err := st.body.add(f.Data()); err != nil {
		return err
	}
	if padded > 0 {
		// Whatever is read slowly holds back its own stream only, by the window that is never given back before it is read.
		if err := st.of.reply(func() error { return st.of.replies.WriteWindowUpdate(0, uint32(padded)) }); err != nil {
			return err
		}
		st.body.onRead(func(n int) {
			_ = st.of.reply(func() error { return st.of.replies.WriteWindowUpdate(st.id, uint32(n)) })
		})
	}
	if f.StreamEnded() {
		st.end(io.EOF)
	}
	return nil
}

// end closes the stream; io.EOF is the regular way.
func (st *Stream) end(err error) {
	st.mu.Lock()
	if !st.ended {
		st.ended, st.err = true, err
		if st.status == 0 {
			if errors.Is(err, io.EOF) {
				st.err = io.ErrUnexpectedEOF
			}
			close(st.began)
		}
	}
	st.mu.Unlock()
	st.body.end(err)
}

// streamBody is what has come of a body and was not read yet: no more than the window that the server was given.
type streamBody struct {
	mu   sync.Mutex
	wake *sync.Cond
	data bytes.Buffer
	err  error
	read func(n int)
}

var errWindow = errors.New("the server sent more than it was allowed to")

func (b *streamBody) add(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.data.Len()+len(p) > sendWindow {
		return errWindow
	}
	b.data.Write(p)
	b.wake.Broadcast()
	return nil
}

func (b *streamBody) onRead(f func(int)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read = f
}

func (b *streamBody) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
	b.wake.Broadcast()
}

func (b *streamBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	for b.data.Len() == 0 && b.err == nil {
		b.wake.Wait()
	}
	n, err := b.data.Read(p)
	if n == 0 && len(p) > 0 {
		err = b.err
	}
	open, read := b.err == nil, b.read
	b.mu.Unlock()
	if n > 0 {
		err = nil
		if open && read != nil {
			read(n)
		}
	}
	return n, err
}

func (b *streamBody) Close() error { return nil }
