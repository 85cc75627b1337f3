package lost

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target"
)

// pieces is how many parts a dribbled request comes in, roughly, with a pause after each.
const (
	pieces = 10
	pause  = 10 * time.Millisecond
)

// slowRequest lets the request come in pieces, and tries again once it was answered.
func slowRequest(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	request, err := s.Compose(in, target.Send{})
	if err != nil {
		return err
	}
	slice := max(1, int(size(request))/pieces)
	s.Do(ctx, in, target.Send{Fault: link.Plan{DribbleRequest: link.Dribble{Slice: slice, Pause: pause}}})
	s.Resolve(ctx, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}
