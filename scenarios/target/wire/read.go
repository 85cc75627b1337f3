package wire

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// interimLimit is how many 1xx answers may come before the answer: a target could send them for ever.
const interimLimit = 16

// overhead bounds what may be read beyond the bytes of the body: chunk sizes and trailers.
const overhead = 1 << 20

// readers buffer what comes from a connection while one answer is read.
var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// read reads one answer into r. Anything but a whole answer is an error; r holds what came.
func (r *Result) read(conn io.Reader, x Exchange) error {
	limits := x.Limits.filled()
	m := &meter{from: conn, left: limits.Header, began: func(at time.Time) {
		r.Began = at
		if x.Began != nil {
			x.Began(at)
		}
	}}
	in := readers.Get().(*bufio.Reader)
	in.Reset(m)
	defer func() {
		in.Reset(nil) // nothing of the answer is kept but copies
		readers.Put(in)
	}()
	resp, err := r.readHeader(in, x.Method)
	if err != nil {
		if m.spent {
			return fmt.Errorf("header larger than the limit of %s", size(limits.Header))
		}
		if m.ended { // the connection ended: the parser may have taken half a line for a whole one
			return io.ErrUnexpectedEOF
		}
		return err
	}
	m.left = limits.Body + limits.Body/4 + overhead
	r.announced = resp.ContentLength
	// The body is not closed: closing would read on to its end, which a hostile answer does not have.
	if r.Answer, err = ReadAnswer(resp, limits); err != nil {
		if m.spent {
			return fmt.Errorf("%w of %s, its framing included", errTooLarge, size(limits.Body))
		}
		return err
	}
	r.Open = resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && resp.Body != http.NoBody
	r.Reusable = !resp.Close && !r.Open && resp.StatusCode != http.StatusSwitchingProtocols && in.Buffered() == 0
	return nil
}

// readHeader reads up to the header of the final answer.
func (r *Result) readHeader(in *bufio.Reader, method string) (*http.Response, error) {
	for {
		resp, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			return nil, err
		}
		if resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, nil
		}
		if r.Interim = append(r.Interim, resp.StatusCode); len(r.Interim) > interimLimit {
			return nil, fmt.Errorf("more than %d interim answers", interimLimit)
		}
	}
}

// meter passes a bounded number of bytes on and tells when the first came.
type meter struct {
	from  io.Reader
	left  int64
	spent bool // more was asked for than may be read
	ended bool // the other side closed
	began func(time.Time)
	some  bool
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		m.spent = true
		return 0, errTooLarge
	}
	if int64(len(p)) > m.left {
		p = p[:m.left]
	}
	n, err := m.from.Read(p)
	m.left -= int64(n)
	m.ended = err == io.EOF
	if n > 0 && !m.some {
		m.some = true
		m.began(time.Now())
	}
	return n, err
}
