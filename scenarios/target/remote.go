package target

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
)

// dialThrough finds the Toxiproxy that the configuration names, if it names one.
func (t *Target) dialThrough(ctx context.Context, allowRemote bool) error {
	c := t.cfg.Toxiproxy
	if c == nil {
		return nil
	}
	at, err := resolve(ctx, t.cfg, "toxiproxy.url "+c.URL, c.URL, allowRemote)
	if err != nil {
		return err
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return &ConfigurationError{What: "toxiproxy.url", Err: err}
	}
	if !at.tls { // a certificate is for the name
		u.Host = at.addr // a name that changes its mind changes nothing
	}
	if t.remote, err = link.DialRemote(ctx, u.String()); err != nil {
		return &EnvironmentError{What: "toxiproxy.url", Err: err}
	}
	t.remoteAfar = at.remote
	return nil
}

// leadThrough makes the way to every instance through it.
func (t *Target) leadThrough(ctx context.Context) (err error) {
	if t.remote == nil {
		return nil
	}
	for _, i := range t.instances {
		if i.via, err = t.remote.Lead(ctx, t.cfg.Toxiproxy.ListenAt(), i.base.addr); err != nil {
			return &EnvironmentError{What: i.what, Err: err}
		}
	}
	if t.remoteAfar && t.cfg.Limits.Rate == 0 {
		t.limiter.SetLimit(remoteRate)
	}
	return nil
}

// openWire opens the connection of one attempt. Behind a Toxiproxy of somebody else's, one whose request is cut there, or that may
// never be answered and is counted there, has a proxy of its own, as long as there is a port for it.
func (s *Stage) openWire(ctx context.Context, i *instance, plan link.Plan, leaves bool) (*link.Wire, error) {
	t := s.target
	if t.remote != nil && !i.base.tls {
		cut := plan.CutRequest > 0 || plan.HangUpAfter > 0
		mute := leaves || slices.Contains(s.run.scenario.Needs, catalogue.NeedLifecycle)
		if cut || mute && t.remote.Counts {
			if w, err := t.links.OpenBehind(ctx, t.remote, t.cfg.Toxiproxy.ListenAt(), i.base.addr, plan); err == nil {
				return w, nil
			}
		}
	}
	return t.links.Open(ctx, i.upstream(), plan)
}

// learnThrough sees whether a Toxiproxy of somebody else's has a port for what a single attempt needs.
func (t *Target) learnThrough(ctx context.Context, o *offers) {
	if t.remote == nil || !o.offered[catalogue.NeedDirect] {
		return
	}
	w, err := t.links.OpenBehind(ctx, t.remote, t.cfg.Toxiproxy.ListenAt(), t.first().base.addr, link.Plan{HangUpAfter: 1})
	if err != nil {
		o.lacks(catalogue.NeedDirect, fmt.Sprintf("the Toxiproxy has no proxy for a single attempt, so that nothing is known of a request that is never answered (%v): is there a free port in toxiproxy.listen?", err))
		return
	}
	w.Close()
}

// known takes back what a link does not prove where a Toxiproxy stands between it and the target: what the target was not seen
// to answer is not known to have reached it, unless the Toxiproxy tells, or what the target did for it.
func (f *Flight) known(l *history.Link, p link.Proof) bool {
	t := f.stage.target
	if t.cfg.Toxiproxy == nil {
		return true
	}
	l.Through = "the Toxiproxy at " + t.cfg.Toxiproxy.URL
	switch {
	case l.ResponseBytes > 0:
	case p.Beyond == link.Counted:
		l.Through += ", by its own count of what it handed on"
	case p.Beyond == link.Cut:
		l.Through += ", whose limit_data closed the connection when it had handed on that much"
	case l.RequestWhole && f.calledDownstream():
		l.Through += ", by the downstream call that followed"
	case l.RequestWhole && f.wire != nil && f.wire.Kept():
		l.Through += ", which kept the connection"
	default:
		l.Reached, l.RequestWhole = false, false
		return false
	}
	return true
}

// calledDownstream tells whether a downstream call was made, or is held, that no other attempt of the intent can have made.
func (f *Flight) calledDownstream() bool {
	if f.attempt.Label != "first" || f.stage.target.gate == nil {
		return false
	}
	if len(f.stage.target.calls(f.intent)) > 0 {
		return true
	}
	r := f.stage.rec
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _, held := r.history.Held(f.intent.ID)
	return held
}

// throughLost says what is missing where the Toxiproxy stops answering, or has lost its proxies; nil where it is as it was.
func (t *Target) throughLost(ctx context.Context, i *instance) error {
	if i.via == "" {
		return nil
	}
	if err := t.remote.Check(ctx); err != nil {
		return &EnvironmentError{What: "toxiproxy.url", Err: err}
	}
	return nil
}
