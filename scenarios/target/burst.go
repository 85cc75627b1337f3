package target

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Shot is one request of a burst.
type Shot struct {
	Intent *Intent
	Send   Send
}

// BurstFlight is a burst under way.
type BurstFlight struct{}

// Flights are those of the shots, in their order.
func (b *BurstFlight) Flights() []*Flight { return nil }

// Wait returns the attempts in the order of the shots, and records the burst.
func (b *BurstFlight) Wait(ctx context.Context) []*history.Attempt { return nil }

// Burst sends all shots at once on connections opened before, records a history.Burst under label and returns the attempts
// in the order of the shots.
func (s *Stage) Burst(ctx context.Context, label string, shots []Shot) []*history.Attempt { return nil }

// GoBurst is Burst without waiting for the answers, for work that is held meanwhile.
func (s *Stage) GoBurst(ctx context.Context, label string, shots []Shot) *BurstFlight { return nil }
