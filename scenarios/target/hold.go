package target

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/provider"
)

// Hold is the gate armed to hold one call.
type Hold struct{}

// Hold arms the gate to hold the intent's next downstream call before or after it is booked.
func (s *Stage) Hold(in *Intent, when provider.When) *Hold { return nil }

// Arrived waits until the held call is there, or until the flight ended without one (false).
func (h *Hold) Arrived(ctx context.Context, f *Flight) bool { return false }

// Release lets the call go on.
func (h *Hold) Release() {}

// Fail answers it with the status.
func (h *Hold) Fail(status int) {}

// Drop closes its connection without an answer.
func (h *Hold) Drop() {}

// Close disarms; it releases what it holds.
func (h *Hold) Close() {}

// FailDownstream lets the intent's next n bookings fail with the status, nothing booked, until healed.
func (s *Stage) FailDownstream(in *Intent, status, n int) (heal func()) { return func() {} }

// LoseDownstream books the intent's next n bookings and closes without an answer; with lookups the gate does not answer
// questions either until healed.
func (s *Stage) LoseDownstream(in *Intent, n int, lookups bool) (heal func()) { return func() {} }
