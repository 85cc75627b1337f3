package target

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
)

const (
	// warmLimit bounds the wait for connections to reach the target.
	warmLimit = 2 * time.Second
	// warmPause is between two looks at whether a connection has; there is no event for it.
	warmPause = 200 * time.Microsecond
	// acceptPause is given to the target to take what was sent ahead; there is no event for that either.
	acceptPause = time.Millisecond
)

// warm opens the connection all the way to the target and makes a shot of what follows. With ahead, all of the header but its end
// is sent already: what the target has to do before it looks for the key is then little.
func (f *Flight) warm(ahead bool) (burst.Shot, error) {
	conn, err := f.connect()
	if err != nil {
		return burst.Shot{}, err
	}
	sent := 0
	if ahead && f.plain() {
		if sent, err = f.sendAhead(conn); err != nil {
			conn.Close()
			return burst.Shot{}, err
		}
	}
	shot := burst.Shot{Send: func(ctx context.Context, times *burst.Flight) {
		f.land(f.exchange(ctx, conn, sent,
			func(at time.Time) { times.Written = at },
			func(at time.Time) { times.Answered = at }))
	}}
	if f.plain() {
		shot.Delivered = f.wire.RequestForwarded(f.size())
	}
	return shot, nil
}

// plain tells whether the request goes out whole, and as it was composed.
func (f *Flight) plain() bool {
	p := f.send.Fault
	return !f.direct() && p.CutRequest == 0 && p.HangUpAfter == 0 && p.DribbleRequest.Slice == 0 && !f.send.HangUp && f.send.KeyFields == nil
}

func (f *Flight) connect() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(f.ctx, warmLimit)
	defer cancel()
	conn, err := f.dial(ctx)
	if err != nil {
		return nil, err
	}
	for {
		if proof := f.wire.Proof(); proof.Connections > 0 || proof.DialError != "" {
			return conn, nil
		}
		if !Pause(ctx, warmPause) {
			return conn, nil // it is sent all the same; whether it was together with the others is seen from its times
		}
	}
}

func (f *Flight) sendAhead(conn net.Conn) (int, error) {
	all, err := f.bytes()
	if err != nil {
		return 0, err
	}
	sent := bytes.Index(all, []byte("\r\n\r\n")) + len("\r\n")
	if err := conn.SetWriteDeadline(time.Now().Add(warmLimit)); err != nil {
		return 0, err
	}
	if _, err := conn.Write(all[:sent]); err != nil {
		return 0, fmt.Errorf("sending ahead: %w", err)
	}
	limit := time.NewTimer(warmLimit)
	defer limit.Stop()
	select {
	case <-f.wire.RequestForwarded(int64(sent)):
	case <-limit.C:
	case <-f.ctx.Done():
	}
	return sent, conn.SetWriteDeadline(time.Time{})
}
