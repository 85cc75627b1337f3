package crash

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/target"
)

// afterClaim kills the target while its downstream call is held and not booked: it has claimed the key, and done nothing.
func afterClaim(ctx context.Context, s *target.Stage) error {
	return killHeld(ctx, s, provider.BeforeBooking)
}
