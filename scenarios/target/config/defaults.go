package config

import (
	"fmt"
	"strings"
	"time"
)

// What a file leaves out.
const (
	defaultRequest  = 5 * time.Second
	defaultSettle   = 300 * time.Millisecond
	defaultRecovery = 10 * time.Second
	defaultDuration = 10 * time.Minute
	defaultReady    = 30 * time.Second
	defaultHook     = time.Minute
	defaultCommand  = 10 * time.Second
	defaultClock    = 30 * time.Second
	defaultObjects  = 5000
	defaultKills    = 8
	defaultBooked   = 201
	remoteRate      = 50 // requests a second, where the target is not on this machine
)

func (c *Config) fill() {
	c.eachDuration(func(_ string, value *time.Duration, standard time.Duration) { or(value, standard) })
	or(&c.Limits.Objects, defaultObjects)
	or(&c.Limits.Kills, defaultKills)
	if host := c.host(); !Loopback(host) {
		or(&c.Limits.Rate, remoteRate)
		or(&c.Target.Name, host)
	}
	or(&c.Target.Name, "target")
	if d := c.Target.Downstream; d != nil {
		for i := range d.Routes {
			or(&d.Routes[i].Status, defaultBooked)
		}
	}
}

// eachDuration visits those that have a default, where what holds them is there.
func (c *Config) eachDuration(visit func(pointer string, value *time.Duration, standard time.Duration)) {
	visit("/timeouts/request", &c.Timeouts.Request, defaultRequest)
	visit("/timeouts/settle", &c.Timeouts.Settle, defaultSettle)
	visit("/timeouts/recovery", &c.Timeouts.Recovery, defaultRecovery)
	visit("/limits/duration", &c.Limits.Duration, defaultDuration)
	if l := c.Target.Lifecycle; l != nil {
		if l.Process != nil {
			visit("/target/lifecycle/process/ready/within", &l.Process.Ready.Within, defaultReady)
		}
		if l.Container != nil {
			visit("/target/lifecycle/container/ready/within", &l.Container.Ready.Within, defaultReady)
		}
		if l.Hooks != nil {
			visit("/target/lifecycle/hooks/ready/within", &l.Hooks.Ready.Within, defaultReady)
			visit("/target/lifecycle/hooks/within", &l.Hooks.Within, defaultHook)
		}
	}
	if t := c.Target.Clock; t != nil {
		visit("/target/clock/within", &t.Within, defaultClock)
	}
	for name, op := range c.Operations {
		if op == nil {
			continue
		}
		for i, e := range op.Effects {
			if e.Command != nil {
				visit(below(below(below("/operations", name)+"/effects", i)+"/command", "within"), &e.Command.Within, defaultCommand)
			}
		}
	}
}

// zeros refuses a duration of nothing: left out it is the default, and written down it would be something else than it says.
func (k *checker) zeros() {
	k.config.eachDuration(func(pointer string, value *time.Duration, standard time.Duration) {
		if *value == 0 && k.has(pointer) {
			k.add(pointer, "no time at all", fmt.Sprintf("more, or nothing here for the default of %s", short(standard)))
		}
	})
}

// short writes a duration without the units of which there are none: 10m instead of 10m0s.
func short(d time.Duration) string {
	text := d.String()
	for _, none := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, none) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// or fills in a value that was left out.
func or[T comparable](value *T, standard T) {
	var none T
	if *value == none {
		*value = standard
	}
}
