package target

import (
	"context"
	"net/url"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/history"
)

// leadThrough makes the way to every instance through the Toxiproxy that the configuration names, if it names one.
func (t *Target) leadThrough(ctx context.Context, allowRemote bool) error {
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
	for _, i := range t.instances {
		if i.via, err = t.remote.Lead(ctx, c.ListenAt(), i.base.addr); err != nil {
			return &EnvironmentError{What: i.what, Err: err}
		}
	}
	if at.remote && t.cfg.Limits.Rate == 0 {
		t.limiter.SetLimit(remoteRate)
	}
	return nil
}

// known takes back what a link does not prove where a Toxiproxy stands between it and the target: what the target was not seen
// to answer is not known to have reached it.
func (t *Target) known(l *history.Link) bool {
	if t.cfg.Toxiproxy == nil {
		return true
	}
	l.Through = "the Toxiproxy at " + t.cfg.Toxiproxy.URL
	if l.ResponseBytes > 0 {
		return true
	}
	l.Reached, l.RequestWhole = false, false
	return false
}
