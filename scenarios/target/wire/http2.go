package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

const (
	preface       = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	emptySettings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	frameHeader   = 9
	frameSettings = 4
)

// SpeaksHTTP2 tells whether the other side answers the opening of HTTP/2 as one who speaks it: with its settings. The connection
// cannot be used afterwards.
func SpeaksHTTP2(ctx context.Context, conn net.Conn) bool {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, preface+emptySettings); err != nil {
		return false
	}
	head := make([]byte, frameHeader)
	_, err := io.ReadFull(conn, head)
	return err == nil && head[3] == frameSettings
}

var errSecondConnection = errors.New("the request would need a second connection, and is never sent twice")

// DoHTTP2 sends the request with HTTP/2 on a connection that carries nothing else, and reads one answer. It never sends twice,
// and never dials. Names of headers are small letters in HTTP/2, and their order is not kept.
func DoHTTP2(ctx context.Context, conn net.Conn, req rewrite.Request, host string, secure bool, limits Limits) (r Result) {
	if err := check(req, host); err != nil {
		return Result{Outcome: history.Unsent, Reason: err.Error()}
	}
	only := make(chan net.Conn, 1)
	only <- conn
	dial := func(context.Context, string, string) (net.Conn, error) {
		select {
		case c := <-only:
			return c, nil
		default:
			return nil, errSecondConnection
		}
	}
	transport := &http.Transport{DialContext: dial, DialTLSContext: dial, DisableCompression: true, MaxResponseHeaderBytes: limits.filled().Header, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP2(true)
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()

	message := &http.Request{Method: req.Method, URL: &url.URL{Scheme: "http", Host: host}, Host: host, Header: http.Header{}}
	message.URL.Path, message.URL.RawPath = unescapedPath(req.Path), req.Path
	message.URL.RawQuery, message.URL.ForceQuery = req.RawQuery, req.BareMark
	if secure {
		message.URL.Scheme = "https"
	}
	for _, f := range req.Header {
		if strings.EqualFold(f.Name, "Host") {
			message.Host = f.Value
			continue
		}
		message.Header[http.CanonicalHeaderKey(f.Name)] = append(message.Header[http.CanonicalHeaderKey(f.Name)], f.Value)
	}
	if req.Body != nil { // no GetBody: nothing could be sent again
		message.Body = io.NopCloser(bytes.NewReader(req.Body))
		if message.ContentLength = int64(len(req.Body)); req.Framing == rewrite.Chunked {
			message.ContentLength = -1
		}
	}
	var sent, began moment // the transport's goroutine may still report when the answer is there
	defer func() { r.Sent, r.Began = sent.time(), began.time() }()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			if i.Err == nil {
				sent.now()
			}
		},
		GotFirstResponseByte: began.now,
	})
	resp, err := transport.RoundTrip(message.WithContext(ctx))
	if err != nil {
		r.Outcome, r.Reason = history.Lost, because(ctx, err, "no answer with HTTP/2")
		r.Wrote = int64(len(req.Body)) + 1 // something may have arrived
		return r
	}
	defer resp.Body.Close()
	r.Wrote = int64(len(RawBytes(req, host))) // counted as in HTTP/1.1: the transport does not tell the size of frames
	if r.Answer, err = ReadAnswer(resp, limits); err != nil {
		r.Outcome, r.Reason = history.Lost, because(ctx, err, "the answer broke off")
		return r
	}
	r.Outcome = history.Answered
	return r
}

// moment is when something happened, if it did.
type moment struct{ nanoseconds atomic.Int64 }

func (m *moment) now() { m.nanoseconds.Store(time.Now().UnixNano()) }

func (m *moment) time() time.Time {
	if n := m.nanoseconds.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

func unescapedPath(path string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}
