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

// Elapse lets the target's time pass, by its clock or by waiting, and tells whether it did, and by how much the clock was moved.
// What its clock said is recorded as a history.Fault; that time passed by itself shows in the times of what follows.
func (s *Stage) Elapse(ctx context.Context, d time.Duration) (moved time.Duration, passed bool) {
	t := s.target
	c := t.cfg.Target.Clock
	if c != nil {
		d = d.Truncate(time.Second) // what every clock can be told
	}
	switch {
	case d <= 0:
		return 0, true
	case c == nil && d > longestWait:
		return 0, false
	case c == nil:
		return 0, Pause(ctx, d)
	}
	fault := &history.Fault{Kind: history.FaultClock, Detail: fmt.Sprintf("the target's clock was moved by %v", d)}
	if err := t.moveClock(ctx, c, fmt.Sprintf("%.0fs", d.Seconds())); err != nil {
		fault.Detail = t.redact.text(err.Error())
	} else {
		fault.Landed, fault.Moved = true, d.Microseconds()
		moved = d
	}
	s.rec.add(history.Event{Fault: fault})
	return moved, fault.Landed
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
	ctx, cancel := context.WithTimeoutCause(ctx, c.Within, fmt.Errorf("no answer within %v", c.Within))
	defer cancel()
	answer, err := t.callUntil(ctx, t.responder(), request)
	switch {
	case err != nil:
		return fmt.Errorf("target.clock: %s %s: %w", request.Method, request.Target(), err)
	case answer.Status < 200 || answer.Status > 299:
		return fmt.Errorf("target.clock: %s %s: expected a 2xx answer, found %d: %s", request.Method, request.Target(), answer.Status, t.says(answer.Body))
	}
	return nil
}
