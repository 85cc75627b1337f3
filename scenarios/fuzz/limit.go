package fuzz

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Ending bounds what may follow when the time of a search is up: pairs that seemed wrong by then are made smaller and confirmed, in
// its first half, and what was screened is looked at once more.
const Ending = 10 * time.Second

// clock tells when the time of an operation is up. The zero value: never.
type clock struct {
	now   func() time.Time
	until time.Time // of the part of the search that is under way

	ending time.Duration
}

// share gives the operation an equal part of what is left until the end of all of them.
func (c *clock) share(end time.Time, operations int) {
	if !end.IsZero() {
		now := c.now()
		c.until = now.Add(max(0, end.Sub(now)) / time.Duration(max(1, operations)))
	}
}

// left is how much of the time is left; 0 where it is up, or where there is no end.
func (c clock) left() time.Duration {
	if c.until.IsZero() {
		return 0
	}
	return max(0, c.until.Sub(c.now()))
}

// up tells that nothing new is to be begun.
func (c clock) up() bool { return !c.until.IsZero() && c.left() == 0 }

// over tells that what seemed wrong is not followed any further either.
func (c clock) over() bool { return !c.until.IsZero() && !c.now().Before(c.until.Add(c.ending/2)) }

// searchAll sweeps every operation, then draws random bodies for those that have rewrites for them: where the time is short, what
// finds most comes first for all.
func (o Options) searchAll(ctx context.Context, hunters []*hunter, r *Report) error {
	var end time.Time
	if o.For > 0 {
		end = o.now().Add(o.For)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.For+o.ending, errEnding)
		defer cancel()
	}
	var drawing []*hunter
	for i, h := range hunters {
		r.Operations = append(r.Operations, h.report)
		defer h.conclude()
		if h.share(end, len(hunters)-i); h.up() {
			h.report.Stopped = "the time was up before anything was tried here: give a longer --for"
			continue
		}
		if err := h.bounded(ctx, h.open); err != nil {
			return err
		}
		if h.drawable() {
			drawing = append(drawing, h)
		}
	}
	for i, h := range drawing {
		h.share(end, len(drawing)-i)
		if err := h.bounded(ctx, h.random); err != nil {
			return err
		}
	}
	return nil
}

// bounded does a part of the search, and notes where the ending broke it off. What else ends the context is an error, for the
// caller to leave what is not begun.
func (h *hunter) bounded(ctx context.Context, part func(context.Context) error) error {
	err := part(ctx)
	switch cause := context.Cause(ctx); {
	case cause == nil, err != nil:
		return err
	case errors.Is(cause, errEnding):
		h.report.Stopped = fmt.Sprintf("it took more than %v after the time was up to follow what seemed wrong, and was broken off", h.ending)
		return nil
	default:
		return cause
	}
}

// errEnding ends what is still under way when the ending is over too.
var errEnding = errors.New("the time of the search, and that of its ending, is over")

// tooLate is what a row says that the time was up for.
const tooLate = "the time was up before it was tried"

// unfinished says what the time was too short for.
func (h *hunter) unfinished() string {
	untried := 0
	for _, row := range h.report.Rows {
		if row.Detail == tooLate {
			untried++
		}
	}
	if untried == 0 && !h.cut {
		return ""
	}
	return fmt.Sprintf("the time was up before the sweep was done (%d of %d rewrites were not tried), and before random bodies were: give a longer --for", untried, len(h.rows))
}

// unconfirmed notes that a pair seemed wrong, and that the time was up before it could be confirmed.
func (h *hunter) unconfirmed(t rewrite.Trial) {
	h.row(t.Rewrite, verdict.Inconclusive, "it seemed wrong, and the time was up before it could be confirmed")
}
