package burst

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"time"
)

// OverConn is a shot that writes a request to a connection opened before, and hands what comes back to answer, from its first
// byte on. Answer may be nil. The connection stays open; when the context ends its deadline is set to the past.
func OverConn(c net.Conn, request []byte, answer func(io.Reader) error) Shot {
	return func(ctx context.Context, f *Flight) {
		stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
		defer stop()
		if _, err := c.Write(request); err != nil {
			f.Err = fmt.Errorf("writing the request: %w", err)
			return
		}
		f.Written = time.Now()
		r := bufio.NewReader(c)
		if _, err := r.Peek(1); err != nil {
			f.Err = fmt.Errorf("waiting for the answer: %w", err)
			return
		}
		f.Answered = time.Now()
		if answer != nil {
			f.Err = answer(r)
		}
	}
}
