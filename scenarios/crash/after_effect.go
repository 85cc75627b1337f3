package crash

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/target"
)

// afterEffect kills the target when its downstream call is booked: there is an effect that it has not heard of.
func afterEffect(ctx context.Context, s *target.Stage) error {
	return killHeld(ctx, s, provider.AfterBooking)
}
