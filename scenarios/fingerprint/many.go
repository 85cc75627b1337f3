package fingerprint

import (
	"context"
	"fmt"
	"slices"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// batch bounds how many pairs are sent under one key.
const batch = 24

// many tries rewrites of a sample: those that fit into one request together, under one key; then, each by itself, those that
// seemed wrong there or told nothing.
func many(ctx context.Context, s *target.Stage, sample *rewrite.Sample, rows []rewrite.Rewrite) error {
	var bare, prepared []rewrite.Rewrite
	var single []rewrite.Trial
	for _, r := range rows {
		sites := r.Sites(sample)
		if len(sites) == 0 {
			continue
		}
		if pair, ok := r.Apply(sample, sites[0], 0); ok && !s.Speaks(ctx, pair.B.Protocol) {
			continue
		}
		_, _, executes := r.ClassUnder(s.Contract()).Allowed()
		switch {
		case executes: // an effect of its own would speak for the others
			single = append(single, rewrite.Trial{Rewrite: r.ID, Site: sites[0]})
		case sites[0].Planted:
			prepared = append(prepared, r)
		default:
			bare = append(bare, r) // A is the sample itself, so that it is known by how much values move
		}
	}
	for _, rows := range [][]rewrite.Rewrite{bare, prepared} {
		changes, fit, alone := rewrite.Garden(sample, rows)
		single = append(single, alone...)
		for part := range slices.Chunk(fit, batch) {
			doubtful, err := together(ctx, s, Screening{Changes: rewrite.Planted(changes, part), Trials: part})
			if err != nil {
				return err
			}
			single = append(single, doubtful...)
		}
	}
	for _, t := range single {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := byItself(ctx, s, sample, t); err != nil {
			return err
		}
	}
	return nil
}

// together tries pairs under one key, with a control under a key of its own for each that is refused, and returns those that
// have to be tried by themselves.
func together(ctx context.Context, s *target.Stage, g Screening) (doubtful []rewrite.Trial, err error) {
	trial := s.Trial(fmt.Sprintf("%d rewrites from %s", len(g.Trials), g.Trials[0].Rewrite))
	if err := screen(ctx, trial, Shape{}, g); err != nil || ctx.Err() != nil {
		return nil, err
	}
	for i := range g.Trials {
		g.Trials[i].Changes = g.Changes
	}
	switch seen := shown(trial); {
	case seen.Refused != "" || seen.Unclear != "" || seen.Overwritten != "":
		s.Forget(trial)
		return g.Trials, nil
	case seen.Executed != "": // it stays, as evidence
		return g.Trials, nil
	default:
		for i, t := range g.Trials {
			if seen.Pairs[i] == Refuses {
				err := control(ctx, trial, nil, Shape{}, t, own(i), func(p rewrite.Pair) rewrite.Request { return p.B })
				if err != nil {
					return nil, err
				}
				if answered(trial, i) {
					continue
				}
			}
			if seen.Pairs[i] != Replayed {
				doubtful = append(doubtful, t)
			}
		}
	}
	return doubtful, nil
}

// byItself sends one pair made of the sample. Where that shows nothing wrong although the pair was suspected, it is sent again
// with the changes under which it was suspected.
func byItself(ctx context.Context, s *target.Stage, sample *rewrite.Sample, t rewrite.Trial) error {
	r, _ := rewrite.Find(t.Rewrite)
	plain := rewrite.Trial{Rewrite: t.Rewrite, Site: t.Site}
	if sites := r.Sites(sample); t.Site.Planted && len(sites) > 0 {
		plain.Site = sites[0]
	}
	trial := s.Trial(r.ID)
	if _, err := sendPair(ctx, trial, Shape{}, plain); err != nil || len(t.Changes) == 0 || confused(trial) {
		return err
	}
	again := s.Trial(r.ID + ", prepared for others too")
	if _, err := sendPair(ctx, again, Shape{}, t); err != nil {
		return err
	}
	if !confused(again) {
		s.Forget(again)
	}
	return nil
}
