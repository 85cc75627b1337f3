package config

import "time"

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
	or(&c.Timeouts.Request, defaultRequest)
	or(&c.Timeouts.Settle, defaultSettle)
	or(&c.Timeouts.Recovery, defaultRecovery)
	or(&c.Limits.Duration, defaultDuration)
	or(&c.Limits.Objects, defaultObjects)
	or(&c.Limits.Kills, defaultKills)
	if host := c.host(); !loopback(host) {
		or(&c.Limits.Rate, remoteRate)
		or(&c.Target.Name, host)
	}
	or(&c.Target.Name, "target")
	if l := c.Target.Lifecycle; l != nil && l.Process != nil {
		or(&l.Process.Ready.Within, defaultReady)
	}
	if l := c.Target.Lifecycle; l != nil && l.Container != nil {
		or(&l.Container.Ready.Within, defaultReady)
	}
	if l := c.Target.Lifecycle; l != nil && l.Hooks != nil {
		or(&l.Hooks.Ready.Within, defaultReady)
		or(&l.Hooks.Within, defaultHook)
	}
	if d := c.Target.Downstream; d != nil {
		for i := range d.Routes {
			or(&d.Routes[i].Status, defaultBooked)
		}
	}
	if t := c.Target.Clock; t != nil {
		or(&t.Within, defaultClock)
	}
	for _, op := range c.Operations {
		for _, e := range op.Effects {
			if e.Command != nil {
				or(&e.Command.Within, defaultCommand)
			}
		}
	}
}

// or fills in a value that was left out.
func or[T comparable](value *T, standard T) {
	var none T
	if *value == none {
		*value = standard
	}
}
