package target

import (
	"context"
	"fmt"
)

// alone tells, where a write got no answer in time, whether that was since the probes keep a
// connection open: with a target that serves one connection at a time every race and every lost answer would only be waited for.
func (s *Stage) alone(ctx context.Context) error {
	t := s.target
	in, err := s.Intent(ctx)
	if err != nil {
		return nil // the next one will say so
	}
	for _, i := range t.instances { // after the intent's first readings
		i.reader.CloseIdleConnections()
	}
	f := s.patiently(ctx, in, Send{Label: "steady, no other connection open"})
	if f.Wait(ctx); ctx.Err() != nil || !f.class().Success() {
		return nil
	}
	return &Problem{TargetDown, fmt.Sprintf("it serves one connection at a time: while a probe kept one open, a write was not answered within %v (timeouts.request), and was once that was closed; "+
		"duplicates that come together cannot be tried on it: let it serve connections side by side (threads or workers), or close each after its answer", t.cfg.Timeouts.Request)}
}
