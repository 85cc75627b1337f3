package conflict

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// changed sends changed payloads under the keys of two writes. Under the first key nothing else follows, so that every effect
// beyond one is the changed payload's; under the second the write itself is sent before and after, so that a difference
// between these two is the conflict's doing.
func changed(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	if first := s.Do(ctx, in, target.Send{Label: "first"}); !s.Class(first).Success() {
		s.Note("the first attempt was answered %s: its key is not in use", s.Class(first))
		return nil
	}
	s.Observe(ctx, in, "first")
	look(ctx, s, in, "seen-before")
	if a := change(ctx, s, in); s.Class(a) == contract.InFlightAnswer {
		// Some targets complete their record only after they have answered. The write's own retry tells when that is done.
		settle(ctx, s, in, "settled")
		change(ctx, s, in)
	}
	s.Do(ctx, in, target.Send{Label: "changed-again", Change: true})
	look(ctx, s, in, "seen-after")
	s.Observe(ctx, in, "after")

	kept, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, kept, target.Send{Label: "first"})
	settled := settle(ctx, s, kept, "retry")
	change(ctx, s, kept)
	if settled {
		settle(ctx, s, kept, "original")
	} else {
		s.Do(ctx, kept, target.Send{Label: "original"}) // it was not answered before the conflict either, however long it was retried
	}
	s.Observe(ctx, kept, "after")
	return control(ctx, s)
}

func change(ctx context.Context, s *target.Stage, in *target.Intent) *history.Attempt {
	return s.Do(ctx, in, target.Send{Label: "changed", Change: true})
}

// look reads the resources as the first probe does: a target may refuse the changed payload and write it over the first one.
func look(ctx context.Context, s *target.Stage, in *target.Intent, label string) {
	if path := s.ListPath(); path != "" {
		s.Get(ctx, in, label, path, nil)
	}
}
