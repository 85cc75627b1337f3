package link_test

import (
	"net"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link"
)

// TestKept: that a connection was kept is known whoever ends it first, the client or the wire.
func TestKept(t *testing.T) {
	t.Parallel()
	const aWhile = 50 * time.Millisecond // twice what is asked: time is the subject here, not a way to wait for something
	request := []byte("POST / HTTP/1.1\r\n\r\n")
	silent := func(c net.Conn) { _, _ = c.Read(make([]byte, 1<<10)); _, _ = c.Read(make([]byte, 1)) }
	for name, c := range map[string]struct {
		client bool // ends it
	}{
		"the wire is closed": {false},
		"the client leaves":  {true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, listen(t, silent), link.Plan{})
			conn := dial(t, w)
			send(t, conn, request)
			await(t, "the request", w.RequestForwarded(int64(len(request))))
			time.Sleep(aWhile)
			if c.client {
				conn.Close()
			}
			w.Close()
			if !w.Kept() {
				t.Error("it is not known to have been kept")
			}
		})
	}
}
