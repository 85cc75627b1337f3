package target

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Observe reads every probe for the intent and records it. Where an answer promised an effect it waits for it to show, up to
// three times the lag of the steady state.
func (s *Stage) Observe(ctx context.Context, in *Intent, moment string) []history.Observation {
	return nil
}

// Status reads the status resource as the intent's caller; nil without one.
func (s *Stage) Status(ctx context.Context, in *Intent, moment string) *history.Status { return nil }

// StatusAs reads it as another tenant.
func (s *Stage) StatusAs(ctx context.Context, in *Intent, moment, tenant string) *history.Status {
	return nil
}

// Final takes the "final" readings of every intent of every trial.
func (s *Stage) Final(ctx context.Context) {}
