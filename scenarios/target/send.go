package target

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// Credentials an attempt is sent with.
type Credentials string

// The credentials.
const (
	Own     Credentials = ""
	Renewed Credentials = "renewed"
	NoCreds Credentials = "none"
)

// Send describes one attempt. The zero value is the intent's own request, unfaulted.
type Send struct {
	Label       string // its part in the procedure; default "first" for an intent's first attempt, else "retry"
	Tenant      string // default: the intent's
	Credentials Credentials
	KeyFields   []string // raw values of the key field, one field each; nil: the intent's key as the contract encodes it
	NoKey       bool
	Change      bool             // the operation's standard changed payload (accepted in the steady state under a fresh key)
	Sample      string           // "invalid", "refused", "crash": merged into the body
	Exact       *rewrite.Request // exactly this request; everything above but Label and Tenant is then only described, by Variant
	Variant     string           // names Exact, or is filled in for Change and Sample
	Fault       link.Plan        // acts on this attempt's connection
	GiveUp      <-chan struct{}  // the client closes its connection when this is closed
	HangUp      bool             // the client closes right after the last request byte
	Timeout     time.Duration    // default: timeouts.request
}

// Compose builds the exact request that Send would put on the wire.
func (s *Stage) Compose(in *Intent, send Send) (rewrite.Request, error) {
	return rewrite.Request{}, nil
}

// Do sends one attempt and waits for its outcome. It never sends twice.
func (s *Stage) Do(ctx context.Context, in *Intent, send Send) *history.Attempt { return nil }

// Resolve retries the intent's own request as a good client would (label "retry") until the answer is a known result:
// anything but lost, unknown, in flight or a failure that the contract lets be retried; it honours Retry-After up to a
// second, waits with growing pauses, and stops after timeouts.recovery. It returns the last attempt.
func (s *Stage) Resolve(ctx context.Context, in *Intent, send Send) *history.Attempt { return nil }

// Alter sends the operation's alter request for the resource that the answer created.
func (s *Stage) Alter(ctx context.Context, in *Intent, first *history.Attempt) *history.Attempt {
	return nil
}

// Get reads a path of the target with extra header fields, as an attempt of the intent with the label.
func (s *Stage) Get(ctx context.Context, in *Intent, label, path string, header [][2]string) *history.Attempt {
	return nil
}
