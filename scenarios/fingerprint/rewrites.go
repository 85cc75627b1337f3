package fingerprint

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// rewrites sends each rewrite that applies to the operation, at its likeliest place.
func rewrites(ctx context.Context, s *target.Stage) error {
	return each(ctx, s, func(r rewrite.Rewrite) bool { return !isVolatile(r) })
}

// volatile sends the rewrites that change only headers which say nothing of what is wanted.
func volatile(ctx context.Context, s *target.Stage) error {
	return each(ctx, s, isVolatile)
}

// each leaves one history a rewrite.
func each(ctx context.Context, s *target.Stage, wanted func(rewrite.Rewrite) bool) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	sample, err := sampleOf(s, in, Shape{})
	if err != nil {
		return err
	}
	for _, r := range rewrite.Catalogue() {
		sites := r.Sites(sample)
		if !wanted(r) || len(sites) == 0 {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if pair, ok := r.Apply(sample, sites[0], 0); ok && !s.Speaks(ctx, pair.B.Protocol) {
			continue
		}
		if _, err := sendPair(ctx, s.Trial(r.ID), Shape{}, rewrite.Trial{Rewrite: r.ID, Site: sites[0]}); err != nil {
			return err
		}
	}
	return nil
}
