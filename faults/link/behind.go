package link

import (
	"context"
	"fmt"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
)

// Evidence tells how it is known what a remote Toxiproxy handed on to the upstream.
type Evidence int

// The kinds of evidence.
const (
	Unknown Evidence = iota // nothing shows it, unless an answer does
	Cut                     // its limit_data closed the connection, which it does when it has handed on that much
	Counted                 // its counters tell
)

// OpenBehind is Open for an upstream behind a Remote, by a proxy of the wire's own there. The plan's cut of the request, or
// the client's leave after it, is done by the server's limit_data: what the upstream gets is decided where it is sent. The
// client reads an end when that has happened, and must not leave before. Where the server keeps counters, they tell what it
// handed on in any case. A client that leaves hears nothing any more: an upstream that answers before the connection is taken
// away speaks to the server's timeout.
//
// It goes by bytes: where the client's are encrypted on their way to the upstream, the numbers mean nothing.
func (l *Links) OpenBehind(ctx context.Context, r *Remote, listen, upstream string, plan Plan) (*Wire, error) {
	if err := plan.check(); err != nil {
		return nil, fmt.Errorf("wire to %s: %w", upstream, err)
	}
	proxy, err := r.lead(ctx, listen, upstream)
	if err != nil {
		return nil, err
	}
	b := &behind{remote: r, proxy: proxy, limit: max(plan.CutRequest, plan.HangUpAfter)}
	leaves := plan.HangUpAfter > 0
	plan.CutRequest, plan.HangUpAfter = 0, 0
	addr, err := r.dialled(proxy)
	if err == nil && leaves {
		err = r.toxic(ctx, proxy, "timeout", "downstream", toxiproxy.Attributes{"timeout": 0})
	}
	if err == nil && b.limit > 0 {
		err = r.toxic(ctx, proxy, "limit_data", "upstream", toxiproxy.Attributes{"bytes": b.limit})
	}
	var w *Wire
	if err == nil {
		w, err = l.wire(ctx, Upstream{Addr: addr}, plan, b)
	}
	if err != nil {
		r.end(context.WithoutCancel(ctx), proxy.Name)
		return nil, fmt.Errorf("wire to %s: %w", upstream, err)
	}
	return w, nil
}

// toxic adds a toxic to a proxy.
func (r *Remote) toxic(ctx context.Context, proxy *toxiproxy.Proxy, kind, stream string, attributes toxiproxy.Attributes) error {
	_, err := called(ctx, func() (*toxiproxy.Toxic, error) { return proxy.AddToxic(kind+"-"+stream, kind, stream, 1, attributes) })
	if err != nil {
		return fmt.Errorf("toxiproxy %s: its toxic %s: %w", r.url, kind, err)
	}
	return nil
}

// behind is the part of a wire that is a proxy on a remote Toxiproxy.
type behind struct {
	remote *Remote
	proxy  *toxiproxy.Proxy
	limit  int64 // request bytes that are handed on; 0: all
}

// end corrects the proof by what is known of that part, and removes it.
func (b *behind) end(l *ledger) {
	ctx, cancel := context.WithTimeout(context.Background(), remoteLimit)
	defer cancel()
	l.mu.Lock()
	p, sent, left := l.proof, l.sent, l.upstreamLeft
	l.mu.Unlock()
	handed, evidence := b.handed(ctx, p, sent, left)
	b.remote.end(ctx, b.proxy.Name)
	l.note(func(p *Proof) {
		p.RequestForwarded, p.Beyond = handed, evidence
		p.RequestCut = b.limit > 0 && handed < p.RequestBytes && (evidence != Unknown || p.ResponseBytes > 0)
	})
}

// ended notes whether a connection that ends was kept for a while after the last byte of its request.
func (l *ledger) ended() {
	l.note(func(p *Proof) {
		l.kept = l.kept || !p.LastRequestByte.IsZero() && time.Since(p.LastRequestByte) >= keptFor
	})
}

// closing notes the same for a connection that the wire is about to end, which neither side may notice in time to say so.
func (l *ledger) closing() {
	l.mu.Lock()
	left := l.upstreamLeft
	l.mu.Unlock()
	if !left {
		l.ended()
	}
}

// Kept tells that a connection lived for a while with all that was sent forwarded. A Toxiproxy of somebody else's would have
// ended it if it had not reached the upstream.
func (w *Wire) Kept() bool {
	w.ledger.mu.Lock()
	defer w.ledger.mu.Unlock()
	return w.ledger.kept
}

// handed is how many request bytes the server handed on, as far as is known. It may take a connection away before we know that
// it had what was sent: that it did shows it.
func (b *behind) handed(ctx context.Context, p Proof, sent int64, left bool) (int64, Evidence) {
	most := p.RequestForwarded
	if b.limit > 0 {
		most = min(most, b.limit)
	}
	if p.ResponseBytes > 0 || sent == 0 {
		return most, Unknown
	}
	if counted := b.remote.counted(ctx, b.proxy.Name); counted > 0 {
		return counted, Counted
	}
	if b.limit > 0 && sent >= b.limit && left {
		return b.limit, Cut
	}
	return most, Unknown
}

const (
	// keptFor is how long a fresh connection must survive before a request that is going to be cut is sent: a Toxiproxy that
	// cannot reach the upstream accepts a connection and then closes it, which must not look like a cut.
	keptFor = 25 * time.Millisecond
	// countLimit bounds the wait for a connection that has ended to be counted, countPause is between two looks.
	countLimit = 500 * time.Millisecond
	countPause = 5 * time.Millisecond
)
