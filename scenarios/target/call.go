package target

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net"
	"strings"
	"unicode/utf8"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// call sends a request that is no attempt, such as one of a setup, on a connection of its own and past the fault links.
func (t *Target) call(ctx context.Context, request rewrite.Request) (*wire.Answer, error) {
	for range mostSlowed {
		if err := t.throttle.wait(ctx); err != nil {
			return nil, err
		}
		answer, err := t.callAt(ctx, t.responder(), request)
		if err != nil || !t.cfg.Contract.Throttled(contract.Exchange{Status: answer.Status}) {
			return answer, err
		}
		t.throttle.slow(answer.Header)
	}
	return t.callAt(ctx, t.responder(), request)
}

func (t *Target) callAt(ctx context.Context, i *instance, request rewrite.Request) (*wire.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Timeouts.Request)
	defer cancel()
	return t.callUntil(ctx, i, request)
}

// callUntil waits for the answer as long as the context lets it.
func (t *Target) callUntil(ctx context.Context, i *instance, request rewrite.Request) (*wire.Answer, error) {
	t.unpaced()
	bytes, err := wire.Bytes(request, i.name())
	if err != nil {
		return nil, err
	}
	conn, err := i.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("connection: %w", err)
	}
	defer conn.Close()
	result := wire.Do(ctx, conn, wire.Exchange{Bytes: bytes, Method: request.Method, Limits: wire.Limits{Keep: keptAnswer}})
	if result.Outcome != history.Answered {
		return nil, errors.New(t.redact.text(result.Reason))
	}
	return result.Answer, nil
}

func (i *instance) connect(ctx context.Context) (net.Conn, error) {
	return i.connectWith(ctx, i.base.tlsConfig())
}

// connectWith connects with settings for TLS; nil: without TLS.
func (i *instance) connectWith(ctx context.Context, config *tls.Config) (net.Conn, error) {
	conn, err := i.dial(ctx, "tcp")
	if err != nil || config == nil {
		return conn, err
	}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}

// recordRequest is a request as a history keeps it.
func (t *Target) recordRequest(base string, r rewrite.Request) history.Request {
	record := history.Request{Method: r.Method, URL: base + t.redact.target(r.Target()), Body: t.redact.wholeBody(r.Body, isForm(r.MediaType()))}
	for _, f := range r.Header {
		record.Header = append(record.Header, [2]string{f.Name, t.redact.value(f.Name, f.Value)})
	}
	return record
}

// recordAnswer is an answer as a history keeps it.
func (t *Target) recordAnswer(a *wire.Answer) *history.Answer {
	record := &history.Answer{Status: a.Status, Header: map[string][]string{}}
	for name, values := range a.Header {
		for _, v := range values {
			record.Header[name] = append(record.Header[name], t.redact.value(name, v))
		}
	}
	media, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	record.Body = t.redact.body(a.Body[:min(len(a.Body), recordedHead)], a.Length, a.SHA256, isForm(media))
	record.Body.Truncated = record.Body.Truncated || a.Truncated
	return record
}

func isForm(media string) bool { return media == "application/x-www-form-urlencoded" }

// says quotes the beginning of a body for people.
func (t *Target) says(body []byte) string {
	const most = 300
	text := t.redact.text(string(body[:min(len(body), 4*most)]))
	if len(text) > most {
		text = trimPartialRune(text[:most]) + "…"
	}
	if !utf8.ValidString(text) {
		return "(binary) " + hex.EncodeToString([]byte(text[:min(len(text), 32)]))
	}
	if text = strings.TrimSpace(text); text == "" {
		return "(no body)"
	}
	return text
}
