package target

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// stateProbe is a configured probe and how the harness uses it. Shared ones cannot tell an intent from others: they count from
// a baseline, and only while nobody else acts.
type stateProbe struct {
	name   string
	kind   string
	shared bool
	quiet  bool // nobody configured it: no effect is expected of it
	// asTenant: it is read with the intent's credentials, and need not show what belongs to others.
	asTenant bool
	read     func(ctx context.Context, in *Intent) (reading, error)
	// explain says what is there where the effect is not, and which part of the effect's configuration is about that; may be nil.
	explain func(ctx context.Context, in *Intent) (what, part string)
}

// reading is what a probe shows.
type reading struct {
	probe.Reading
	calls []history.Call
	err   error
}

// readProbes makes the state probes of an operation, and its status probe.
func (t *Target) readProbes(k *preparedOperation) error {
	probes, err := probe.All(k.op)
	if err != nil {
		return err
	}
	ledger := false
	for i, p := range probes {
		t.closers = append(t.closers, p.Close)
		effect := k.op.Effects[i]
		e := &stateProbe{name: p.Name, kind: string(p.Kind), shared: p.Shared, asTenant: effect.HTTP != nil || effect.Value != nil}
		if c := effect.Downstream; c != nil {
			ledger = true
			e.read = t.ledger(c)
		} else {
			e.read = func(ctx context.Context, in *Intent) (reading, error) {
				r, err := p.Read(ctx, t.source(), t.subject(in, in.Tenant))
				return reading{Reading: r}, err
			}
			e.explain = func(ctx context.Context, in *Intent) (string, string) {
				return p.Explain(ctx, t.source(), t.subject(in, in.Tenant))
			}
		}
		k.probes = append(k.probes, e)
	}
	if t.gate != nil && !ledger {
		k.probes = append(k.probes, &stateProbe{name: "downstream", kind: history.Ledger, quiet: true, read: t.ledger(&config.LedgerEffect{})})
	}
	if k.op.Status != nil {
		k.status, err = probe.NewStatus(k.op.Status)
	}
	return err
}

// source is where probes read: the target, past the fault links.
func (t *Target) source() probe.Source {
	i := t.responder()
	return probe.Source{Base: i.url(), Client: i.reader, Dir: t.beside("")}
}

// subject is the intent as a tenant reads about it.
func (t *Target) subject(in *Intent, tenant string) probe.Subject {
	s := probe.Subject{Markers: in.Markers, Vars: in.filled()}
	if c := t.cfg.Target.Tenants[tenant]; c != nil {
		s.Headers = maps.Clone(c.Headers)
	}
	return s
}

// newReader makes the client of the probes. It goes to the address that was checked, whatever a name resolves to by now.
func (t *Target) newReader(i *instance) *http.Client {
	return &http.Client{
		Transport: &patient{&t.throttle, t.cfg.Contract, &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return i.dial(ctx, network)
			},
			TLSClientConfig:        i.base.tlsConfig(),
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        30 * time.Second,
			DisableCompression:     true,
			MaxResponseHeaderBytes: wire.HeaderLimit,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// closeProbes gives back connections to the target and to databases.
func (t *Target) closeProbes() error {
	var problems []error
	for _, end := range t.closers {
		problems = append(problems, end())
	}
	for _, i := range t.instances {
		i.reader.CloseIdleConnections()
	}
	return errors.Join(problems...)
}

// ledger reads bookings at the gate.
func (t *Target) ledger(c *config.LedgerEffect) func(context.Context, *Intent) (reading, error) {
	return func(_ context.Context, in *Intent) (reading, error) {
		if t.gate == nil {
			return reading{}, errors.New("the configuration has no target.downstream")
		}
		if n := t.gate.Unrecorded(); n > 0 {
			return reading{}, fmt.Errorf("the ledger of the downstream gate is full, and %d calls are not in it: nothing can be concluded from it; select fewer requirements, or raise limits.objects", n)
		}
		var r reading
		for _, call := range t.calls(in) {
			if (c.Method == "" || strings.EqualFold(c.Method, call.Method)) && fits(c.Path, call.Path) {
				r.calls = append(r.calls, call)
			}
		}
		r.Count = booked(r.calls)
		return r, nil
	}
}

// fits tells whether a path is one of those that a pattern means: "*" is one segment, a trailing "**" the rest.
func fits(pattern, path string) bool {
	if pattern == "" {
		return true
	}
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, w := range want {
		switch {
		case w == "**" && i == len(want)-1:
			return true
		case i >= len(have) || w != "*" && w != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}

// quiet tells whether nobody expects an effect of a probe.
func (k *preparedOperation) quiet(probe string) bool {
	return slices.ContainsFunc(k.probes, func(e *stateProbe) bool { return e.name == probe && e.quiet })
}
