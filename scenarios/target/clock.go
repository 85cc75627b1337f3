package target

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// longestWait is how long a lifetime may be to be waited for, where there is no clock to be moved.
const longestWait = 15 * time.Second

// Elapse lets the target's time pass, by its clock or by waiting, and tells whether it did. What its clock said is recorded as a
// history.Fault; that time passed by itself shows in the times of what follows.
func (s *Stage) Elapse(ctx context.Context, d time.Duration) bool {
	t := s.target
	c := t.cfg.Target.Clock
	switch {
	case d <= 0:
		return true
	case c == nil && d > longestWait:
		return false
	case c == nil:
		return Pause(ctx, d)
	}
	d = d.Truncate(time.Second) // what every clock can be told
	limited, cancel := context.WithTimeout(ctx, c.Within)
	defer cancel()
	fault := &history.Fault{Kind: "clock", Detail: fmt.Sprintf("the target's clock was moved by %v", d)}
	if err := t.moveClock(limited, c, fmt.Sprintf("%.0fs", d.Seconds())); err != nil {
		fault.Detail = t.redact.text(err.Error())
	} else {
		fault.Landed, fault.Moved = true, d.Microseconds()
	}
	s.rec.add(history.Event{Fault: fault})
	return fault.Landed
}

func (t *Target) moveClock(ctx context.Context, c *config.Clock, by string) error {
	vars := t.vars()
	vars.Duration = by
	if c.Command != "" {
		return life.Shell(ctx, "clock", strings.ReplaceAll(c.Command, "{duration}", by), t.beside(""), c.Within,
			"DURATION="+by, "PORT="+vars.Port, "DIR="+vars.Dir)
	}
	form, err := newForm(*c.HTTP)
	if err != nil {
		return fmt.Errorf("target.clock: %w", err)
	}
	request, err := form.fill(vars)
	if err != nil {
		return fmt.Errorf("target.clock: %w", err)
	}
	answer, err := t.call(ctx, request)
	switch {
	case err != nil:
		return fmt.Errorf("target.clock: %s %s: %w", request.Method, request.Target(), err)
	case answer.Status < 200 || answer.Status > 299:
		return fmt.Errorf("target.clock: %s %s: expected a 2xx answer, found %d: %s", request.Method, request.Target(), answer.Status, t.says(answer.Body))
	}
	return nil
}
