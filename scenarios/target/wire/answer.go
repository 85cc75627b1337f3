package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Bounds of an answer where Limits leave them out.
const (
	HeaderLimit = 64 << 10 // bytes of status line and header, interim answers included
	keepLimit   = 8 << 20  // bytes of the body that are kept
	bodyLimit   = 32 << 20 // bytes of the body that are read
)

// Limits bound what is read of an answer, in bytes. Zero values are filled in with the constants above.
type Limits struct {
	Header int64
	Keep   int64
	Body   int64
}

func (l Limits) filled() Limits {
	if l.Header <= 0 {
		l.Header = HeaderLimit
	}
	if l.Keep <= 0 {
		l.Keep = keepLimit
	}
	if l.Body <= 0 {
		l.Body = bodyLimit
	}
	return l
}

// Answer is what came back, as far as it came.
type Answer struct {
	Status    int
	Header    http.Header // canonical names; all values, in order
	Body      []byte      // its head, at most Limits.Keep bytes
	Length    int64       // bytes of the body that arrived
	SHA256    string      // of those bytes, in hex; empty when there were none
	Truncated bool        // Body is less than the whole body, since more arrived than is kept or since the rest never came
}

// errTooLarge says that an answer's body goes on beyond what is read of it.
var errTooLarge = errors.New("answer larger than the limit")

// ReadAnswer reads the body of a response under the limits; it does not close it. The answer is what came, also when the
// error says that more should have.
func ReadAnswer(resp *http.Response, limits Limits) (*Answer, error) {
	limits = limits.filled()
	a := &Answer{Status: resp.StatusCode, Header: resp.Header}

	err := a.readBody(resp.Body, limits)
	if err == nil && a.Length == limits.Body {
		err = beyond(resp.Body, limits.Body)
	}
	a.Truncated = int64(len(a.Body)) < a.Length || err != nil
	return a, err
}

// buffers are what bodies are read into on their way.
var buffers = sync.Pool{New: func() any { return new([8 << 10]byte) }}

// readBody keeps the head of the body, and counts and hashes all of it, up to its limit.
func (a *Answer) readBody(from io.Reader, limits Limits) error {
	buffer := buffers.Get().(*[8 << 10]byte)
	defer buffers.Put(buffer)
	sum := sha256.New()
	var err error
	for err == nil && a.Length < limits.Body {
		var n int
		n, err = from.Read(buffer[:min(int64(len(buffer)), limits.Body-a.Length)])
		sum.Write(buffer[:n])
		a.Body = append(a.Body, buffer[:min(int64(n), limits.Keep-int64(len(a.Body)))]...)
		a.Length += int64(n)
	}
	if a.Length > 0 {
		a.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// beyond returns errTooLarge where a body goes on after its limit.
func beyond(body io.Reader, limit int64) error {
	var one [1]byte
	switch n, err := io.ReadFull(body, one[:]); {
	case n > 0:
		return fmt.Errorf("%w of %s", errTooLarge, size(limit))
	case err == io.EOF:
		return nil
	default:
		return err
	}
}

func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
