package mutants

import (
	"io"
	"net/http"
	"sync"

	"github.com/oncespec/oncespec/mockapi/flow"
)

// firstPiece digests what the first read of a body gave, where that was not all.
func firstPiece(f *flow.Flow) {
	var pieces sync.Map // by request
	readBody, correct := f.ReadBody, f.Fingerprint
	f.ReadBody = func(r *http.Request) ([]byte, error) {
		body := &pieced{ReadCloser: r.Body}
		r.Body = body
		whole, err := readBody(r)
		if err == nil && body.more {
			pieces.Store(r, string(body.first))
		}
		return whole, err
	}
	f.Fingerprint = func(call *flow.Call) (string, error) {
		if first, dribbled := pieces.LoadAndDelete(call.HTTP); dribbled {
			return digestOf(f, call, first)
		}
		return correct(call)
	}
}

// pieced is a body that knows what came with its first read, and whether more came after it.
type pieced struct {
	io.ReadCloser
	begun, more bool
	first, left []byte
	err         error // of the first read
}

func (p *pieced) Read(b []byte) (int, error) {
	if !p.begun {
		p.begun = true
		p.first = make([]byte, 64<<10)
		var n int
		n, p.err = p.ReadCloser.Read(p.first)
		p.first = p.first[:n]
		p.left = p.first
	}
	if len(p.left) > 0 {
		n := copy(b, p.left)
		p.left = p.left[n:]
		return n, nil
	}
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.ReadCloser.Read(b)
	p.more = p.more || n > 0
	return n, err
}
