package replay

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/target"
)

// moreRetries follow the first one: ten in all.
const moreRetries = 9

// again sends a write, and the same request ten times more.
//
// A write of its own comes first and is never retried: what it makes the target do downstream is what one execution does,
// also where some of that happens after the answer.
func again(ctx context.Context, s *target.Stage) error {
	once, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, once, target.Send{Label: "once"})
	s.Observe(ctx, once, "after")

	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: "first"})
	s.Observe(ctx, in, "first")
	retry(ctx, s, in)
	for range moreRetries {
		s.Do(ctx, in, target.Send{Label: "again"})
	}
	s.Observe(ctx, in, "after")
	return nil
}

// late sends the request once more after the other scenarios: a target that remembers keys for some seconds only has forgotten
// this one by then.
func late(ctx context.Context, s *target.Stage) error {
	all := s.Intents()
	if len(all) < 2 {
		return nil // the first one is never retried
	}
	in := all[len(all)-1]
	if s.NearlyExpired(in) {
		s.Note("not sent once more: the key's lifetime of %v is nearly over", s.Contract().Lifetime)
		return nil
	}
	s.Note("the first attempt is %v old", in.Age().Round(time.Millisecond))
	s.Do(ctx, in, target.Send{Label: "late"})
	s.Observe(ctx, in, "late")
	return nil
}

// retry sends the request a second time, and, while the target says that the first is still in progress, as often as a patient
// client would: some targets complete their record only after they have answered. A target that promises one effect and no
// replay may refuse every duplicate with its in-flight answer; asking it again is of no use.
func retry(ctx context.Context, s *target.Stage, in *target.Intent) {
	a := s.Do(ctx, in, target.Send{Label: "retry"})
	switch s.Class(a) {
	case contract.Unknown:
	case contract.InFlightAnswer:
		if s.Contract().Fidelity.OnlyEffect() {
			return
		}
	default:
		return
	}
	s.Resolve(ctx, in, target.Send{Label: "retry"})
}
