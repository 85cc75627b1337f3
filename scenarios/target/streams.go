package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// sharedConnection is the HTTP/2 connection that all flights of a burst to one instance share.
type sharedConnection struct {
	wire    *link.Wire
	streams *wire.Streams
	bytes   int64      // of all requests on it
	all     *link.Mark // reached when the target has them
}

// upstream2 is how to reach an instance for HTTP/2.
func (i *instance) upstream2() link.Upstream {
	up := i.upstream()
	if up.TLS != nil {
		up.TLS = up.TLS.Clone()
		up.TLS.NextProtos = []string{"h2"}
	}
	return up
}

// openShared fails where the instance does not speak HTTP/2.
func (t *Target) openShared(ctx context.Context, i *instance) (*sharedConnection, error) {
	w, err := t.links.Open(ctx, i.upstream2(), link.Plan{})
	if err != nil {
		return nil, err
	}
	k := &sharedConnection{wire: w}
	ctx, cancel := context.WithTimeout(ctx, warmLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", w.Addr)
	if err == nil {
		k.streams, err = wire.OpenHTTP2(ctx, conn)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return k, nil
}

func (k *sharedConnection) close() {
	k.streams.Close()
	k.wire.Close()
}

// forwarded waits until the target has all requests, which were sent in one write.
func (k *sharedConnection) forwarded(ctx context.Context) error {
	limit := time.NewTimer(forwardLimit)
	defer limit.Stop()
	select {
	case <-k.all.Done():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-limit.C:
		return errors.New("the requests do not reach the target")
	}
}

// streams makes shots of flights that leave in one write for each instance.
func (s *Stage) streams(ctx context.Context, way *way, flights []*Flight, failed []error) (shots []burst.Shot, done func(), err error) {
	shared := map[*instance]*sharedConnection{}
	var order []*sharedConnection
	end := func() {
		for _, k := range order {
			k.close()
		}
	}
	defer func() {
		if err != nil {
			for _, f := range flights {
				f.stream, f.shared = nil, nil
			}
			end()
		}
	}()
	for i, f := range flights {
		if failed[i] != nil {
			continue
		}
		k := shared[f.at]
		if k == nil {
			if k, err = s.target.openShared(ctx, f.at); err != nil {
				return nil, nil, err
			}
			shared[f.at] = k
			order = append(order, k)
		}
		scheme := "http"
		if f.at.base.tls {
			scheme = "https"
		}
		if f.stream, err = k.streams.Add(f.request, scheme, f.host); err != nil {
			return nil, nil, err
		}
		f.shared, k.bytes = k, k.bytes+f.stream.Size()
	}
	for _, k := range order {
		k.all = k.wire.Mark(k.wire.Proof().RequestForwarded + k.bytes)
	}
	way.Release = func(ctx context.Context) error {
		for _, k := range order { // nobody is waited for before all are sent
			if err := k.streams.Flush(); err != nil {
				return fmt.Errorf("HTTP/2: %w", err)
			}
		}
		for _, k := range order {
			if err := k.forwarded(ctx); err != nil {
				return fmt.Errorf("HTTP/2: %w", err)
			}
		}
		return nil
	}
	shots = make([]burst.Shot, len(flights))
	for i, f := range flights {
		if failed[i] == nil {
			shots[i].Send = f.ride
		}
	}
	return shots, end, nil
}

// ride waits for the answer to a request that leaves with others.
func (f *Flight) ride(ctx context.Context, times *burst.Flight) {
	clock := f.stage.target.clock
	f.attempt.Began = clock.now()
	result := f.stream.Await(ctx, wire.Limits{Keep: f.keep()}, func(at time.Time) { times.Answered = at })
	f.attempt.Ended = clock.now()
	if result.Wrote > 0 {
		_ = f.shared.forwarded(ctx) // an answer may be here before it is known that the requests were there
	}
	if times.Written = f.shared.all.At(); times.Written.IsZero() {
		times.Written = result.Sent
	}
	f.land(result)
}

// streamProof is what is known of a flight's part of the connection that it shares.
func (f *Flight) streamProof() link.Proof {
	p, at := f.stream.Proof(), f.shared.all.At()
	proof := link.Proof{Connections: f.shared.wire.Proof().Connections, DialError: f.shared.wire.Proof().DialError, RequestBytes: p.Sent,
		ResponseBytes: p.Received, ResponseForwarded: p.Received, FirstResponseByte: p.First, LastRequestByte: at}
	if !at.IsZero() || p.Received > 0 {
		proof.RequestForwarded = p.Sent
	}
	return proof
}
