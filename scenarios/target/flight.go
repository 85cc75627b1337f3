package target

import (
	"context"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/history"
)

// Flight is an attempt under way.
type Flight struct{}

// Done is closed when the outcome is known and recorded.
func (f *Flight) Done() <-chan struct{} { return nil }

// Wait returns the attempt once its outcome is known. When the context ends first, the client gives up, and the attempt is
// returned as lost.
func (f *Flight) Wait(ctx context.Context) *history.Attempt { return nil }

// Wire is the attempt's connection, for proofs and releases: FirstResponse, RequestForwarded, Release.
func (f *Flight) Wire() *link.Wire { return nil }

// Go starts an attempt.
func (s *Stage) Go(ctx context.Context, in *Intent, send Send) *Flight { return nil }
