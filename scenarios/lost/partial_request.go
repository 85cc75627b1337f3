package lost

import (
	"context"
	"strconv"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// partialRequest cuts requests where their header ends and before their last byte. Of each cut, one is retried and another
// left alone, so that work that begins late on half a request shows at the end of the run.
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

	for _, where := range []string{"in the header", "after the header", "before the last byte"} {
		if where == "after the header" && len(known.Body) == 0 {
			continue
		}
		trial := s.Trial(where)
		for _, label := range []string{"alone", "first"} {
			in, err := trial.Intent(ctx)
			if err != nil {
				return err
			}
			request, err := trial.Compose(in, target.Send{})
			if err != nil {
				return err
			}
			all, body := size(request)+more, int64(len(request.Body))
			cut := map[string]int64{"in the header": (all - body) / 2, "after the header": all - body, "before the last byte": all - 1}[where]
			trial.Do(ctx, in, target.Send{Label: label, Fault: link.Plan{CutRequest: cut}})
			trial.Observe(ctx, in, "cut")
			if label == "first" {
				trial.Resolve(ctx, in, target.Send{})
				trial.Observe(ctx, in, "after")
			}
		}
	}
	return nil
}

// size is how many bytes of a request on the wire come from what was composed.
func size(r rewrite.Request) int64 {
	n := len(r.Method) + len(r.Target()) + len(r.Body) + len(strconv.Itoa(len(r.Body)))
	for _, f := range r.Header {
		n += len(f.Name) + len(f.Value) + len(": \r\n")
	}
	return int64(n)
}
