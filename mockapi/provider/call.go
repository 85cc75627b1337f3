package provider

import (
	"bytes"
	"net/http"
	"strings"
	"time"
)

// Call is one call that the target made, as the ledger has it. Its Header and Body are shared: do not change them.
type Call struct {
	// Seq counts calls from 1 in the order of their arrival.
	Seq int
	// At is when the call had arrived whole; it carries a monotonic reading.
	At time.Time

	Method string
	Path   string // decoded
	Query  string // raw
	Header http.Header
	// Body is the request body, or its first MiB; BodyBytes is the size of all that was read of it.
	Body      []byte
	BodyBytes int64
	// Key is the downstream key, "" if the call has none. For a lookup it is the key that is looked up.
	Key string

	// Lookup: the call only asks what became of Key.
	Lookup bool
	// Booked: the call made a new booking, with the id BookingID.
	Booked bool
	// Repeat: the key had been booked before; the call was given that booking's answer, and BookingID is its id.
	Repeat    bool
	BookingID string

	// Held: a Hold held the call; set once that is decided.
	Held bool
	// Ended: the gate has decided about the call, and Status and Lost are final.
	Ended bool
	// Status is what it was answered with; 0 while it is open, or if it was not answered.
	Status int
	// Lost: the connection was closed without an answer, on purpose.
	Lost bool
	// Refused says why the gate itself would not take the call (too large, not whole, no such route, another payload
	// under a key that is booked); "" if it did.
	Refused string
	// CallerGone: the caller had hung up, or died, before it was answered.
	CallerGone bool

	bloom bloomFilter // of what it carries
}

// Match picks calls. It must be quick and safe for concurrent use. A nil Match picks every call.
type Match func(Call) bool

func (m Match) picks(c Call) bool { return m == nil || m(c) }

// ContainsAny picks calls that carry one of the values: as the downstream key, or anywhere in body, path, query or a header.
// Values should be unique marks of equal length: a value that is part of another is found in it. Empty ones are ignored.
func ContainsAny(values ...string) Match {
	return func(c Call) bool {
		query := unescaped(c.Query)
		for _, v := range values {
			if v == "" {
				continue
			}
			if strings.Contains(c.Key, v) || strings.Contains(c.Path, v) || strings.Contains(query, v) || bytes.Contains(c.Body, []byte(v)) {
				return true
			}
			for _, fields := range c.Header {
				for _, field := range fields {
					if strings.Contains(field, v) {
						return true
					}
				}
			}
		}
		return false
	}
}

// KeyIn picks calls with one of these downstream keys.
func KeyIn(keys ...string) Match {
	set := make(map[string]bool, len(keys))
	for _, k := range keys {
		set[k] = k != ""
	}
	return func(c Call) bool { return set[c.Key] }
}

// Either picks what any of the matches picks.
func Either(matches ...Match) Match {
	return func(c Call) bool {
		for _, m := range matches {
			if m.picks(c) {
				return true
			}
		}
		return false
	}
}
