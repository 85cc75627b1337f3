package rewrite

import (
	"bytes"
	"mime"
	"slices"
	"strings"
)

// Framing says how the end of a body is told.
type Framing string

// The framings. The empty value is ContentLength.
const (
	ContentLength Framing = "content-length"
	Chunked       Framing = "chunked"
)

// Request is a request exactly as it is to be written: nothing is escaped, sorted or canonicalised on the way. The writer
// adds Host, and Content-Length or Transfer-Encoding as Framing says; Header holds everything else.
type Request struct {
	Method   string
	Path     string // escaped, as sent
	RawQuery string // escaped, without the question mark
	BareMark bool   // write the question mark although the query is empty
	Header   []Field
	Body     []byte // nil: the request has none
	Framing  Framing
	Protocol Protocol
}

// Protocol is the version of HTTP that a request is sent with.
type Protocol string

// The protocols. The empty value is HTTP1.
const (
	HTTP1 Protocol = "http/1.1"
	HTTP2 Protocol = "http/2"
)

// Field is one header line. Its name keeps the case it is sent in.
type Field struct{ Name, Value string }

// Clone copies the request so that changing one changes nothing in the other.
func (r Request) Clone() Request {
	r.Header = slices.Clone(r.Header)
	r.Body = bytes.Clone(r.Body)
	return r
}

// Equal tells whether both would be written with the same bytes.
func (r Request) Equal(o Request) bool {
	return r.Method == o.Method && r.Target() == o.Target() && r.framing() == o.framing() && r.protocol() == o.protocol() &&
		slices.Equal(r.Header, o.Header) && bytes.Equal(r.Body, o.Body)
}

// Target is the request target: path, and query where there is one.
func (r Request) Target() string {
	if r.RawQuery != "" || r.BareMark {
		return r.Path + "?" + r.RawQuery
	}
	return r.Path
}

func (r Request) framing() Framing {
	if r.Framing == "" {
		return ContentLength
	}
	return r.Framing
}

func (r Request) protocol() Protocol {
	if r.Protocol == "" {
		return HTTP1
	}
	return r.Protocol
}

// Get returns the first value of a header, whatever the case of its name.
func (r Request) Get(name string) (value string, ok bool) {
	if i := r.field(name); i >= 0 {
		return r.Header[i].Value, true
	}
	return "", false
}

// Set replaces the first header of that name, keeping its place and the case of its name, or appends one. Call it on a
// Clone: it changes the list in place.
func (r *Request) Set(name, value string) {
	if i := r.field(name); i >= 0 {
		r.Header[i].Value = value
		return
	}
	r.Header = append(r.Header, Field{name, value})
}

func (r Request) field(name string) int {
	return slices.IndexFunc(r.Header, func(f Field) bool { return strings.EqualFold(f.Name, name) })
}

// MediaType is the content type in lower case without parameters, or empty.
func (r Request) MediaType() string {
	value, _ := r.Get("Content-Type")
	if !strings.Contains(value, ";") {
		return strings.ToLower(strings.TrimSpace(value))
	}
	media, _, err := mime.ParseMediaType(value)
	if err != nil {
		media, _, _ = strings.Cut(value, ";")
	}
	return strings.ToLower(strings.TrimSpace(media))
}

// isForm tells whether the body is a URL-encoded form.
func (r Request) isForm() bool { return r.MediaType() == "application/x-www-form-urlencoded" }

// HasFields tells whether the body is made of named fields: a form, or a multipart one. A JSON Pointer of one token, such as
// /name, then names a field.
func (r Request) HasFields() bool { return r.isForm() || r.MediaType() == "multipart/form-data" }

// saysJSON tells whether the content type names JSON, or there is none.
func (r Request) saysJSON() bool {
	media := r.MediaType()
	return media == "" || media == "application/json" || strings.HasSuffix(media, "+json")
}
