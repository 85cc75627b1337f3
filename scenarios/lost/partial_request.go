package lost

import (
	"context"
	"strconv"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// partialRequest cuts requests in their header, where it ends, and before their last byte. Of each cut, one is retried and
// one left alone, so that work which begins late on half a request shows at the end of the run.
func partialRequest(ctx context.Context, s *target.Stage) error {
	control, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	known, err := s.Compose(control, target.Send{})
	if err != nil {
		return err
	}
	// What a request is longer by on the wire than what was composed: its host, mostly.
	more := s.Do(ctx, control, target.Send{Label: "control"}).Link.RequestBytes - size(known)

	cuts := []string{"in the header", "after the header", "before the last byte"}
	if len(known.Body) == 0 {
		cuts = cuts[:1]
	}
	for _, where := range cuts {
		trial := s.Trial(where + ", retried")
		in, err := cutRequest(ctx, trial, "first", where, more)
		if err != nil {
			return err
		}
		trial.Resolve(ctx, in, target.Send{})
		trial.Observe(ctx, in, "after")
	}
	for _, where := range cuts {
		if _, err := cutRequest(ctx, s.Trial(where+", left alone"), "alone", where, more); err != nil {
			return err
		}
	}
	return nil
}

// cutRequest sends a request of a new intent and cuts it.
func cutRequest(ctx context.Context, s *target.Stage, label, where string, more int64) (*target.Intent, error) {
	in, err := s.Intent(ctx)
	if err != nil {
		return nil, err
	}
	request, err := s.Compose(in, target.Send{})
	if err != nil {
		return nil, err
	}
	all, body := size(request)+more, int64(len(request.Body))
	cut := map[string]int64{"in the header": (all - body) / 2, "after the header": all - body, "before the last byte": all - 1}[where]
	s.Do(ctx, in, target.Send{Label: label, Fault: link.Plan{CutRequest: cut}})
	s.Observe(ctx, in, "cut")
	return in, nil
}

// size is how many bytes of a request on the wire come from what was composed.
func size(r rewrite.Request) int64 {
	n := len(r.Method) + len(r.Target()) + len(r.Body) + len(strconv.Itoa(len(r.Body)))
	for _, f := range r.Header {
		n += len(f.Name) + len(f.Value) + len(": \r\n")
	}
	return int64(n)
}
