package wire

import (
	"bytes"
	"testing"
)

func FuzzReadingAnAnswer(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 201 Created\r\n\r\nabc",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nok",
		"HTTP/1.1 101 Switching Protocols\r\n\r\n",
		"garbage",
		"",
	} {
		f.Add([]byte(seed), "POST")
	}
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), "HEAD")
	f.Fuzz(func(t *testing.T, sent []byte, method string) {
		limits := Limits{Header: 200, Keep: 10, Body: 50}
		var r Result
		err := r.read(bytes.NewReader(sent), Exchange{Method: method, Limits: limits})
		if err == nil && r.Answer == nil {
			t.Fatal("neither an answer nor an error")
		}
		if err != nil && r.Reusable {
			t.Error("a broken answer left a reusable connection")
		}
		if a := r.Answer; a != nil && (int64(len(a.Body)) > limits.Keep || a.Length > limits.Body || a.Length < int64(len(a.Body))) {
			t.Errorf("an answer beyond its limits: %d bytes kept of %d", len(a.Body), a.Length)
		}
		if len(sent) > 0 == r.Began.IsZero() {
			t.Errorf("%d bytes came, began at %v", len(sent), r.Began)
		}
	})
}
