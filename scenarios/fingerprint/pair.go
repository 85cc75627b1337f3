package fingerprint

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Shape is what a search knows of an operation's request beyond its configuration. The zero value knows nothing more.
type Shape struct {
	Fixed []string // places that turned out not to vary: the target refused what was there
	// Direct sends past the fault links, where nothing is broken on purpose, and leaves the requests of screenings out of the
	// history.
	Direct bool
	// Settle is waited before effects are counted: what is done late is seen too.
	Settle time.Duration
}

// observe counts the effects of an intent.
func (shape Shape) observe(ctx context.Context, s *target.Stage, in *target.Intent) {
	if shape.Settle > 0 {
		target.Pause(ctx, shape.Settle)
	}
	s.Observe(ctx, in, "after")
}

// sendPair sends A as a fresh intent and B = rewrite(A) under its key, and counts the effects. Where a refusal or a replay of
// B has to be told from a request that no key would save, B follows under a key of its own; where effects have to be
// compared, so does A. It is false where the trial does not fit.
func sendPair(ctx context.Context, s *target.Stage, shape Shape, t rewrite.Trial) (fits bool, err error) {
	in, pair, fits, err := fresh(ctx, s, nil, shape, t)
	if err != nil || !fits {
		return fits, err
	}
	own, err := s.Compose(in, target.Send{})
	if err != nil {
		return false, err
	}
	r, _ := rewrite.Find(t.Rewrite)
	s.About(history.Rewrite{ID: t.Rewrite, At: t.Site.At, Prepared: !sameValues(own.Body, pair.A.Body), Guess: t.Site.Guess})
	first := s.Do(ctx, in, target.Send{Label: "first", Exact: &pair.A, Direct: shape.Direct})
	if !s.Class(first).Success() {
		shape.observe(ctx, s, in)
		return true, nil
	}
	b := s.Do(ctx, in, target.Send{Label: "rewritten", Exact: &pair.B, Variant: t.Rewrite, Direct: shape.Direct})
	if !s.Class(b).Success() { // is it B that is refused, or every repetition?
		s.Do(ctx, in, target.Send{Label: "again", Exact: &pair.A, Direct: shape.Direct})
	}
	shape.observe(ctx, s, in)
	class := r.ClassUnder(s.Contract())
	if _, _, executed := class.Allowed(); executed && class != rewrite.NeverReplayed {
		return true, nil
	}
	if err := control(ctx, s, nil, shape, t, "control", func(p rewrite.Pair) rewrite.Request { return p.B }); err != nil {
		return true, err
	}
	if class == rewrite.Undeclared || r.Confirm || t.Site.Guess {
		err = control(ctx, s, nil, shape, t, "plain", func(p rewrite.Pair) rewrite.Request { return p.A })
	}
	return true, err
}

// control sends one side of the pair under a key, and with markers, of its own.
func control(ctx context.Context, s *target.Stage, in *target.Intent, shape Shape, t rewrite.Trial, label string, side func(rewrite.Pair) rewrite.Request) error {
	in, pair, fits, err := fresh(ctx, s, in, shape, t)
	if err != nil || !fits {
		return err
	}
	request := side(pair)
	s.Do(ctx, in, target.Send{Label: label, Exact: &request, Variant: t.Rewrite, Direct: shape.Direct})
	return nil
}

// fresh makes the trial's pair from an intent's request; nil: of a new intent.
func fresh(ctx context.Context, s *target.Stage, in *target.Intent, shape Shape, t rewrite.Trial) (*target.Intent, rewrite.Pair, bool, error) {
	if in == nil {
		var err error
		if in, err = s.Intent(ctx); err != nil {
			return nil, rewrite.Pair{}, false, err
		}
	}
	sample, err := sampleOf(s, in, shape)
	if err != nil {
		return nil, rewrite.Pair{}, false, err
	}
	pair, fits := sample.Pair(t)
	return in, pair, fits, nil
}

// sampleOf is the intent's request with what may change in it.
func sampleOf(s *target.Stage, in *target.Intent, shape Shape) (*rewrite.Sample, error) {
	request, err := s.Compose(in, target.Send{})
	if err != nil {
		return nil, err
	}
	var bodies func(*rapid.T, *rewrite.Sample) []rewrite.Change
	if op := in.Operation; op.Body != nil {
		bodies = func(t *rapid.T, sample *rewrite.Sample) []rewrite.Change {
			return op.Body.Changes(t, sample, op.Pinned)
		}
	}
	sample, err := rewrite.NewSample(request, rewrite.Policy{Bodies: bodies, Unique: in.Operation.Kept, Vary: in.Operation.Vary, Contract: s.Contract(), Fixed: shape.Fixed, Renewed: renewed(s, in)})
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", in.Operation.Name, err)
	}
	return sample, nil
}

// renewed returns the header fields of the tenant's newer credentials.
func renewed(s *target.Stage, in *target.Intent) []rewrite.Field {
	tenant := s.Config().Target.Tenants[in.Tenant]
	if tenant == nil || len(tenant.Renewed) == 0 {
		return nil
	}
	request, err := s.Compose(in, target.Send{Credentials: target.Renewed})
	if err != nil {
		return nil
	}
	var fields []rewrite.Field
	for _, f := range request.Header {
		for name := range tenant.Renewed {
			if strings.EqualFold(f.Name, name) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// sameValues tells whether A asks for what the sample asks for: then its values move by the same amounts.
func sameValues(sample, a []byte) bool {
	if len(sample) == 0 || len(a) == 0 {
		return len(sample) == len(a)
	}
	return len(rewrite.DiffPointers(sample, a)) == 0
}
