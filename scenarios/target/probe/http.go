package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// pageLimit is how many bytes of one answer are read.
const pageLimit = 4 << 20

// standard is the client of a Source without one. Reads may be sent again by net/http: they change nothing.
var standard = &http.Client{
	Transport: &http.Transport{
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		DisableCompression:     true,
		MaxResponseHeaderBytes: wire.HeaderLimit,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// get reads one URL of the target. An answer that is not a whole one is an error.
func get(ctx context.Context, from Source, at string, headers map[string]string) (*wire.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "oncespec")
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	client := *from.Client
	client.CheckRedirect = standard.CheckRedirect
	resp, err := client.Do(req)
	if err != nil {
		return nil, plain(ctx, at, err)
	}
	defer resp.Body.Close()
	answer, err := wire.ReadAnswer(resp, wire.Limits{Keep: pageLimit, Body: pageLimit})
	if err != nil {
		return answer, plain(ctx, at, err)
	}
	return answer, nil
}

// plain says why there is no answer, once and with the URL in front.
func plain(ctx context.Context, at string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		if errors.Is(cause, context.DeadlineExceeded) {
			return fmt.Errorf("GET %s: expected an answer in time: %w", at, cause)
		}
		return fmt.Errorf("GET %s: %w", at, cause)
	}
	var outer *url.Error // names method and URL as well
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return fmt.Errorf("GET %s: expected an answer: %w", at, err)
}

// document decodes a 2xx answer. Numbers are json.Number.
func document(at string, a *wire.Answer) (any, error) {
	if a.Status < 200 || a.Status > 299 {
		where := ""
		if location := a.Header.Get("Location"); location != "" {
			where = " to " + head(location, 100) + ", which is not followed"
		}
		return nil, fmt.Errorf("GET %s: expected a 2xx answer, found %d%s: %s", at, a.Status, where, shown(a.Body))
	}
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("GET %s: expected JSON, found %s (%s): %w", at, shown(a.Body), kindOf(a), err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("GET %s: expected one JSON value, found more behind it: %s", at, shown(a.Body))
	}
	return doc, nil
}

func kindOf(a *wire.Answer) string {
	if kind := a.Header.Get("Content-Type"); kind != "" {
		return head(kind, 80)
	}
	return "no content type"
}

// shown quotes the first bytes of what came.
func shown(body []byte) string {
	if len(body) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%q", head(string(body[:min(len(body), 400)]), 200))
}
