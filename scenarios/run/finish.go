package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Finish waits for quiet, counts every intent again, stores everything and judges what was stored. The context bounds the
// counting; the verdicts are given in any case.
func (r *Run) Finish(ctx context.Context) ([]verdict.Verdict, []*history.History, error) {
	r.late(ctx)
	r.count(ctx)
	for _, s := range r.owed() {
		if sc, err := Scenario(s.Scenario); err == nil && r.problem == nil && ctx.Err() == nil {
			r.prepare(ctx, sc)
			r.play(ctx, sc, s)
		}
	}
	r.late(ctx)
	r.count(ctx)
	if err := r.save(ctx); err != nil {
		return nil, nil, err
	}
	p, hs, err := r.stored()
	if err != nil {
		return nil, nil, err
	}
	return Judge(p, hs), hs, nil
}

// count waits for quiet and takes the last readings of the stages that were not counted yet.
func (r *Run) count(ctx context.Context) {
	if r.problem != nil || ctx.Err() != nil || r.counted == len(r.stages) {
		return
	}
	r.opts.Progress.Doing("waiting for quiet, counting again")
	r.target.Quiet(ctx)
	for _, s := range r.stages[r.counted:] {
		s.Final(ctx)
	}
	r.counted = len(r.stages)
}

// owed are the steps that were put off although their premise holds by the last count: an effect that seemed lost was only
// late.
func (r *Run) owed() []Step {
	if len(r.putOff) == 0 {
		return nil
	}
	known := Judge(r.plan, r.all())
	return slices.DeleteFunc(slices.Clone(r.putOff), func(s Step) bool { return moot(s, known) })
}

// Close stops everything the run started. It may be called at any time, and twice.
func (r *Run) Close(ctx context.Context) error {
	return r.cleaned(asProblem(r.target.Close(ctx)))
}

// cleaned removes the scratch folder, unless the error says that something was left which may stand on it, as hooks do: the next
// start ends both.
func (r *Run) cleaned(err error) error {
	var left *target.LeftBehindError
	if errors.As(err, &left) {
		return err
	}
	if failed := r.clean(); failed != nil {
		return errors.Join(err, &target.LeftBehindError{Err: fmt.Errorf("scratch folder: %w", failed)})
	}
	return err
}

func (r *Run) all() []*history.History {
	all := slices.Clone(r.histories)
	for _, s := range r.stages {
		all = append(all, s.Histories()...)
	}
	slices.SortFunc(all, func(a, b *history.History) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// begun writes the plan as that of a run that was killed: until it comes to its end, that is what it would be.
func (r *Run) begun(ctx context.Context) error {
	if r.problem == nil {
		r.plan.Ended = "the run was killed"
		defer func() { r.plan.Ended = "" }()
	}
	return r.save(ctx)
}

// save writes what there is, and why there is no more.
func (r *Run) save(ctx context.Context) error {
	switch {
	case r.problem != nil:
		r.plan.Ended = "the run ended early (" + r.problem.Error() + ")"
	case ctx.Err() != nil:
		r.plan.Ended = "the run was interrupted"
	}
	if r.opts.Out == "" {
		return nil
	}
	return Save(r.opts.Out, r.plan, r.all())
}

// stored returns what the rules see: the files where there are any.
func (r *Run) stored() (*Plan, []*history.History, error) {
	if r.opts.Out == "" {
		return r.plan, r.all(), nil
	}
	return Load(r.opts.Out)
}
