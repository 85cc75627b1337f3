package failure

import (
	"context"
	"net/http"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target"
)

// byDownstream names the trial in which the downstream call fails. It tells most, since its retry can succeed; the others are
// named after their samples.
const byDownstream = "downstream"

// stored sends every request that fails twice.
func stored(ctx context.Context, s *target.Stage) error {
	s.Note("each failure that the configuration offers is a trial of its own")
	for _, sample := range []string{"invalid", "refused", "crash"} {
		if !s.Has(catalogue.Need("samples." + sample)) {
			continue
		}
		if err := failTwice(ctx, s.Trial(sample), target.Send{Sample: sample}); err != nil {
			return err
		}
	}
	if s.Has(catalogue.NeedGate) {
		return failDownstream(ctx, s.Trial(byDownstream))
	}
	return nil
}

// failTwice sends a request that fails, and sends it again. The same payload fails each time, whether or not the first failure
// is stored, so a payload that works is then sent under the same key: its answer tells. What an invalid payload does to the
// key is failure/validation.
func failTwice(ctx context.Context, s *target.Stage, send target.Send) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, send)
	again(ctx, s, in, send)
	if send.Sample != "invalid" {
		s.Do(ctx, in, target.Send{Label: "corrected"})
	}
	return nil
}

func failDownstream(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	heal := s.FailDownstream(in, http.StatusInternalServerError, target.UntilHealed)
	defer heal()
	s.Do(ctx, in, target.Send{})
	heal()
	again(ctx, s, in, target.Send{})
	s.Observe(ctx, in, "after")
	return nil
}

// again sends a request once more, and goes on only while it is told to come back: retrying a failure that is to be tried
// again would go on for long.
func again(ctx context.Context, s *target.Stage, in *target.Intent, send target.Send) {
	send.Label = "retry"
	if a := s.Do(ctx, in, send); s.Class(a) == contract.InFlightAnswer {
		s.Resolve(ctx, in, send)
	}
}
