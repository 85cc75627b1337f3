package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// chunks is how many chunks a chunked body is cut into, where it has that many bytes.
const chunks = 3

// Bytes writes the request as HTTP/1.1: the header lines in their order and spelling, Host first where there is none, the
// length or the encoding last where there is neither. A chunked body comes in several chunks.
//
// Any byte may stand in a header value but CR, LF and NUL, and in the method, the target and the names none that would end
// them: those would make another request of it, and are an error that names the place. RawBytes takes them.
func Bytes(req rewrite.Request, host string) ([]byte, error) {
	if err := check(req, host); err != nil {
		return nil, err
	}
	return RawBytes(req, host), nil
}

// RawBytes is Bytes without the checks, for requests that are meant to be broken.
func RawBytes(req rewrite.Request, host string) []byte {
	var b bytes.Buffer
	b.Grow(512 + len(req.Body))
	write := func(parts ...string) {
		for _, part := range parts {
			b.WriteString(part)
		}
	}
	write(req.Method, " ", req.Target(), " HTTP/1.1\r\n")
	if _, ok := req.Get("Host"); !ok {
		write("Host: ", host, "\r\n")
	}
	for _, f := range req.Header {
		write(f.Name, ": ", f.Value, "\r\n")
	}
	chunked := req.Framing == rewrite.Chunked && req.Body != nil
	if !framed(req) {
		switch {
		case chunked:
			b.WriteString("Transfer-Encoding: chunked\r\n")
		case req.Body != nil || expectsBody(req.Method):
			b.WriteString("Content-Length: " + strconv.Itoa(len(req.Body)) + "\r\n")
		}
	}
	b.WriteString("\r\n")
	if chunked {
		writeChunks(&b, req.Body)
	} else {
		b.Write(req.Body)
	}
	return b.Bytes()
}

// framed tells whether the header says itself where the body ends; it is then believed, wrong or not.
func framed(req rewrite.Request) bool {
	_, length := req.Get("Content-Length")
	_, encoding := req.Get("Transfer-Encoding")
	return length || encoding
}

// expectsBody names the methods whose requests servers refuse (411) when nothing tells that they have no body.
func expectsBody(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

func writeChunks(b *bytes.Buffer, body []byte) {
	size := max(1, (len(body)+chunks-1)/chunks)
	for len(body) > 0 {
		n := min(size, len(body))
		fmt.Fprintf(b, "%x\r\n", n)
		b.Write(body[:n])
		b.WriteString("\r\n")
		body = body[n:]
	}
	b.WriteString("0\r\n\r\n")
}

func check(req rewrite.Request, host string) error {
	for _, part := range []struct{ what, text, ends string }{
		{"method", req.Method, " \t\r\n\x00"},
		{"target", req.Target(), " \t\r\n\x00"},
		{"host", host, " \t\r\n\x00"},
	} {
		if err := free(part.what, part.text, part.ends); err != nil {
			return err
		}
		if part.text == "" {
			return fmt.Errorf("request %s: found nothing, expected one", part.what)
		}
	}
	for _, f := range req.Header {
		if f.Name == "" {
			return fmt.Errorf("header with value %q: found no name, expected one", f.Value)
		}
		if err := free("header name", f.Name, ": \t\r\n\x00"); err != nil {
			return err
		}
		if err := free("header "+f.Name, f.Value, "\r\n\x00"); err != nil {
			return err
		}
	}
	return nil
}

func free(what, text, ends string) error {
	if i := strings.IndexAny(text, ends); i >= 0 {
		return fmt.Errorf("%s %q: found %q at byte %d, which would end it on the wire; expected none, or RawBytes", what, text, text[i], i)
	}
	return nil
}
