package fingerprint

import (
	"context"
	"slices"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// rewrites tries each rewrite that applies to the operation, at its likeliest place.
func rewrites(ctx context.Context, s *target.Stage) error {
	return each(ctx, s, func(r rewrite.Rewrite) bool { return !isVolatile(r) })
}

// volatile sends the rewrites that change only headers which say nothing of what is wanted.
func volatile(ctx context.Context, s *target.Stage) error {
	return each(ctx, s, isVolatile)
}

// each tries the rewrites, those of each requirement apart: what is executed among them speaks of one requirement.
func each(ctx context.Context, s *target.Stage, wanted func(rewrite.Rewrite) bool) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	sample, err := sampleOf(s, in, Shape{})
	if err != nil {
		return err
	}
	var order []rewrite.Class
	rows := map[rewrite.Class][]rewrite.Rewrite{}
	for _, r := range rewrite.Catalogue() {
		if !wanted(r) {
			continue
		}
		if !slices.Contains(order, kind(r)) {
			order = append(order, kind(r))
		}
		rows[kind(r)] = append(rows[kind(r)], r)
	}
	for _, k := range order {
		if err := many(ctx, s, sample, rows[k]); err != nil {
			return err
		}
	}
	return nil
}
