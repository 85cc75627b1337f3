package suites

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

// Share leaves a run one part of so many of what the limits let all of them do to a target that they share. A target of its own
// is a shard's alone.
func Share(cfg *config.Config, of int) {
	if startsItself(cfg) {
		return
	}
	for _, limit := range []*int{&cfg.Limits.Rate, &cfg.Limits.Objects} {
		if *limit > 0 {
			*limit = max(1, *limit/of)
		}
	}
}

func startsItself(cfg *config.Config) bool {
	l := cfg.Target.Lifecycle
	return l != nil && (l.Process != nil || l.Container != nil)
}

// MayShare says why runs of a configuration may not go on at once on one machine: they would be in each other's way. Each has a
// target of its own where the run starts it; then nothing may have a fixed address. Where somebody else runs the target all
// share it: then none may kill it, move its time, stand in for what it calls, or count what others make. Nil: they may.
func MayShare(cfg *config.Config) error {
	t := cfg.Target
	var all []error
	fixed := func(where, address, free string) {
		if _, port, err := net.SplitHostPort(address); err == nil && strings.Trim(port, "0") != "" && port != "{port}" {
			all = append(all, fmt.Errorf("%s has a fixed port (%s), and each shard needs its own: write %s", where, address, free))
		}
	}
	own := startsItself(cfg)
	if own {
		for i, url := range append([]string{t.URL}, t.Replicas...) {
			where := "target.url"
			if i > 0 {
				where = fmt.Sprintf("target.replicas[%d]", i-1)
			}
			if !strings.Contains(url, "{port}") {
				all = append(all, fmt.Errorf("%s has a fixed port (%s), and each shard starts a target of its own: write {port}", where, url))
			}
		}
	}
	if d := t.Downstream; d != nil {
		fixed("target.downstream.listen", d.Listen, "port 0, and {downstream} in the command")
	}
	if s := t.Store; s != nil {
		fixed("target.store.listen", s.Listen, "port 0, and {store} in the command")
	}
	if !own {
		shared := func(is bool, what, why string) {
			if is {
				all = append(all, fmt.Errorf("all shards share the target, which the run does not start, and %s %s", what, why))
			}
		}
		shared(t.Lifecycle != nil, "target.lifecycle.hooks", "would end it for all")
		shared(t.Clock != nil, "target.clock", "would move its time for all")
		shared(t.Downstream != nil, "target.downstream", "can stand in for what it calls in one of them only")
		shared(t.Store != nil, "target.store", "would break its database link for all")
		for _, name := range cfg.Order {
			shared(cfg.Operations[name].Isolate == config.Exclusive, "operations."+name, "tells its effects from nobody else's (isolate: exclusive)")
		}
	}
	return errors.Join(all...)
}
