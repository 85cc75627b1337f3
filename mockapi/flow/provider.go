package flow

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Outcome is what is known of a booking.
type Outcome int

// The outcomes.
const (
	Unsure    Outcome = iota // it may have been made
	Booked                   // it was made, or none is needed
	NotBooked                // it was certainly not made
)

// Provider is the system downstream that books part of the work. It books a key once, however often it is asked.
type Provider struct {
	base          *url.URL
	client        *http.Client
	bookTimeout   time.Duration
	lookupTimeout time.Duration
}

// NewProvider returns a client of the provider at an absolute URL. Each call has a connection of its own: on a reused one
// net/http may send a request with an Idempotency-Key again by itself.
func NewProvider(address string, bookTimeout, lookupTimeout time.Duration) (*Provider, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("downstream %q: expected a URL such as http://127.0.0.1:9099", address)
	}
	return &Provider{
		base: base,
		client: &http.Client{
			Transport:     &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		bookTimeout:   bookTimeout,
		lookupTimeout: lookupTimeout,
	}, nil
}

// Book asks for a booking under a key. Only a 2xx answer is a yes; all others leave the outcome to Lookup.
func (p *Provider) Book(ctx context.Context, key string, body []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, p.bookTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base.JoinPath("v1", "bookings").String(), bytes.NewReader(body))
	if err != nil {
		return false
	}
	request.GetBody = nil // nor may a redirect or a retry send it again
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	status, err := p.send(request)
	return err == nil && status/100 == 2
}

// Lookup asks what became of a key.
func (p *Provider) Lookup(ctx context.Context, key string) Outcome {
	ctx, cancel := context.WithTimeout(ctx, p.lookupTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base.JoinPath("v1", "bookings", url.PathEscape(key)).String(), nil)
	if err != nil {
		return Unsure
	}
	switch status, err := p.send(request); {
	case err != nil:
		return Unsure
	case status == http.StatusOK:
		return Booked
	case status == http.StatusNotFound:
		return NotBooked
	}
	return Unsure
}

func (p *Provider) send(request *http.Request) (status int, err error) {
	response, err := p.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, maxBody))
	return response.StatusCode, err
}

// lookup finds out what became of an entry's work; what books nothing left no trace unless it was completed.
func (f *Flow) lookup(ctx context.Context, entry Entry) Outcome {
	if !f.books(entry) {
		return NotBooked
	}
	return f.Provider.Lookup(ctx, f.DownstreamKey(entry))
}

func (f *Flow) books(entry Entry) bool {
	return f.Provider != nil && f.operations[entry.Operation].Books
}
