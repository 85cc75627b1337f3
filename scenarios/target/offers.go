package target

import (
	"strings"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// offers collects what an operation offers.
type offers struct {
	operation string
	offered   map[catalogue.Need]bool
	missing   map[catalogue.Need]string
}

// Offers lists the needs that the operation's configuration meets. Those that only behaviour shows (it calls downstream, what
// an answer looks like, a changed payload is accepted) are assumed to be met until Steady has looked.
func Offers(cfg *config.Config, op *config.Operation) []catalogue.Need {
	hasBody := op.Request.Body != nil || op.Request.BodyText != "" || op.Request.BodyFile != ""
	list, _ := newOffers(cfg, op, hasBody).settle()
	return list
}

func newOffers(cfg *config.Config, op *config.Operation, isJSON bool) *offers {
	renewed, second, resource := false, false, false
	for _, t := range cfg.Target.Tenants {
		renewed = renewed || t != nil && len(t.Renewed) > 0
	}
	for _, name := range cfg.Order {
		o := cfg.Operations[name]
		second = second || o != op && !keyInPath(o)
	}
	for _, e := range op.Effects {
		resource = resource || e.HTTP != nil || e.SQL != nil || e.Command != nil
	}
	return &offers{
		operation: op.Name,
		offered: map[catalogue.Need]bool{
			catalogue.NeedState:     len(op.Effects) > 0,
			catalogue.NeedResource:  resource,
			catalogue.NeedChange:    !keyInPath(op),
			catalogue.NeedTenants:   len(cfg.Target.Tenants) > 1,
			catalogue.NeedRenewed:   renewed,
			catalogue.NeedSecond:    second,
			catalogue.NeedGate:      cfg.Target.Downstream != nil,
			catalogue.NeedLifecycle: cfg.Target.Lifecycle != nil,
			catalogue.NeedPause:     can(cfg.Target.Lifecycle).pause,
			catalogue.NeedStop:      can(cfg.Target.Lifecycle).stop,
			catalogue.NeedReplicas:  len(cfg.Target.Replicas) > 0,
			catalogue.NeedStoreLink: cfg.Target.Store != nil && cfg.Toxiproxy == nil,
			catalogue.NeedStoreCut:  cfg.Target.Store != nil,
			catalogue.NeedLifetime:  cfg.Contract.Lifetime > 0,
			catalogue.NeedClock:     cfg.Target.Clock != nil || cfg.Contract.Lifetime > 0 && cfg.Contract.Lifetime <= longestWait,
			catalogue.NeedDirect:    cfg.Toxiproxy == nil || !strings.HasPrefix(cfg.Target.URL, "https:"),
			catalogue.NeedStatus:    op.Status != nil,
			catalogue.NeedInvalid:   len(op.Samples.Invalid) > 0,
			catalogue.NeedRefused:   len(op.Samples.Refused) > 0,
			catalogue.NeedCrash:     len(op.Samples.Crash) > 0,
			catalogue.NeedAlter:     op.Alter != nil,
			catalogue.NeedMarker:    cfg.Contract.Marker.Name != "",
			catalogue.NeedNoBody:    true,
			catalogue.NeedLargeBody: true,
			catalogue.NeedKeyHeader: !keyInPath(op),
			catalogue.NeedKeyInPath: keyInPath(op),
			catalogue.NeedJSON:      isJSON,
		},
		missing: map[catalogue.Need]string{},
	}
}

func (o *offers) offer(n catalogue.Need, yes bool) { o.offered[n] = yes }

func (o *offers) lacks(n catalogue.Need, why string) {
	o.offered[n] = false
	o.missing[n] = why
}

// settle lists what is offered, and why the rest is not.
func (o *offers) settle() ([]catalogue.Need, map[catalogue.Need]string) {
	var list []catalogue.Need
	for _, n := range catalogue.Needs() {
		switch {
		case o.offered[n]:
			list = append(list, n)
		case o.missing[n] == "":
			o.missing[n] = catalogue.Reason(n, o.operation)
		}
	}
	return list, o.missing
}

// abilities are what a lifecycle can do beyond killing and starting.
type abilities struct{ pause, stop bool }

func can(l *config.Lifecycle) abilities {
	switch {
	case l == nil:
		return abilities{}
	case l.Hooks != nil:
		return abilities{pause: l.Hooks.Pause != "", stop: l.Hooks.Stop != ""}
	case l.Process != nil:
		return abilities{pause: life.ProcessVerbs.Has(life.CanPause | life.CanResume), stop: true}
	}
	return abilities{pause: true, stop: true}
}
