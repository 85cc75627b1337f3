package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// maxReruns bounds how often a scenario is run again, with fresh intents, until its fault is proven to have landed.
const maxReruns = 3

// Options of a run.
type Options struct {
	Config      *config.Config
	Plan        *Plan
	Out         string // folder for plan and histories; empty: kept in memory only
	AllowRemote bool
	Strict      bool
	Racy        []string    // starts the known-racy server, see target.Options
	Storm       storm.Order // what lost/storm plays; zero: the usual length
	Progress    Progress    // may be nil
}

// Progress is told what the run does. Its methods are called one at a time.
type Progress interface {
	Doing(what string) // a phase: "starting the target", "counting again"
	Started(n, of int, s Step)
	Finished(n, of int, s Step, vs []verdict.Verdict)
}

// Run is a run under way.
type Run struct {
	opts      Options
	plan      *Plan
	target    *target.Target
	stages    []*target.Stage
	played    []played           // the last try of each step
	histories []*history.History // the steady state's
	seen      []verdict.Verdict  // of the steps so far, before premises
	putOff    []Step             // not run, since their premise failed when their turn came
	counted   int                // stages whose last readings were taken
	aged      bool               // the target's time was moved
	later     int                // how many of played were gone on with
	scratch   string
	clean     func() error // removes it
	started   time.Time
	done      int
	problem   error // the environment gave way; later steps are not run
}

// Problem is an environment in which nothing can be concluded: the run ends with it.
type Problem struct{ Err error }

func (p *Problem) Error() string { return p.Err.Error() }
func (p *Problem) Unwrap() error { return p.Err }

// Begin starts the target and looks at its steady state. On an error nothing is left running; it is a *Problem when the
// environment is to blame.
func Begin(ctx context.Context, opts Options) (*Run, error) {
	if opts.Progress == nil {
		opts.Progress = silence{}
	}
	opts.Plan.Strict = opts.Strict
	r := &Run{opts: opts, plan: opts.Plan, started: time.Now()}
	if opts.Out != "" {
		if err := Prepare(opts.Out); err != nil {
			return nil, err
		}
	}
	target.Sweep(ctx, opts.Progress.Doing)
	var err error
	if r.scratch, r.clean, err = journal.MakeScratch(); err != nil {
		r.problem = &Problem{fmt.Errorf("scratch folder: %w", err)}
		return nil, errors.Join(r.problem, r.save(ctx))
	}
	opts.Progress.Doing("starting the target")
	r.target, err = target.Start(ctx, target.Options{Config: opts.Config, Seed: opts.Plan.Seed, AllowRemote: opts.AllowRemote, Dir: r.scratch, Racy: opts.Racy})
	if err != nil {
		err = r.cleaned(err)
		var wrong *target.ConfigurationError
		if errors.As(err, &wrong) {
			return nil, err
		}
		r.problem = asProblem(err)
		return nil, errors.Join(r.problem, r.save(ctx)) // the plan says what was not done
	}
	within, cancel := r.limited(ctx)
	defer cancel()
	r.plan.URL = r.target.URL()
	for _, o := range r.plan.Operations {
		if !r.plan.studies(o.Name) {
			continue
		}
		opts.Progress.Doing("looking at the steady state of " + o.Name)
		steady, h, err := r.target.Steady(within, opts.Config.Operations[o.Name])
		if h != nil {
			r.histories = append(r.histories, h)
		}
		if err == nil && steady.Problem != nil {
			err = &Problem{fmt.Errorf("operation %s: %w", o.Name, steady.Problem)}
		}
		if err != nil {
			r.problem = asProblem(err)
			if over := r.overtime(ctx, within, "the steady state of "+o.Name); over != nil {
				r.problem = over
			}
			break
		}
		r.plan.learn(o.Name, steady.Offers, steady.Missing)
	}
	if r.problem == nil {
		r.plan.schedule()
	}
	return r, r.begun(ctx)
}

// Plan is what the run does, as the steady state left it.
func (r *Run) Plan() *Plan { return r.plan }

// Problem is what the environment did to end the run, or nil.
func (r *Run) Problem() error { return r.problem }

// Step runs one scenario on one operation, again when its fault did not land, and returns the verdicts that its histories
// give by themselves, before the last count; premises are those of the steps so far. Where all that the scenario is for lost
// its premise already, it is put off: what is broken at the root would only be waited for again and again.
func (r *Run) Step(ctx context.Context, s Step) ([]verdict.Verdict, error) {
	if r.problem != nil {
		return nil, r.problem
	}
	sc, err := Scenario(s.Scenario)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(r.plan.Steps, func(p Step) bool { return p.Name() == s.Name() }) {
		return judgeStep(r.plan, s.Operation, s.Requirements, nil), nil // the steady state showed that a need is not offered after all
	}
	of := len(r.plan.Steps)
	r.opts.Progress.Started(r.done+1, of, s)
	if r.prepare(ctx, sc); r.problem != nil {
		return nil, r.problem
	}
	var vs []verdict.Verdict
	if moot(s, r.seen) {
		r.putOff = append(r.putOff, s)
		vs = judgeStep(r.plan, s.Operation, s.Requirements, nil)
	} else {
		vs = r.play(ctx, sc, s)
	}
	r.done++
	r.seen = append(r.seen, vs...)
	vs = slices.Clone(applyPremises(r.seen)[len(r.seen)-len(vs):]) // they are kept, the others need not be with them
	r.opts.Progress.Finished(r.done, of, s, vs)
	if r.problem != nil {
		return vs, r.problem
	}
	return vs, ctx.Err()
}

// prepare does what has to come before a scenario that disturbs the others.
func (r *Run) prepare(ctx context.Context, sc target.Scenario) {
	if sc.Ends() || sc.Ages {
		r.late(ctx)
	}
	if sc.Ages && !r.aged {
		r.aged = true
		r.count(ctx) // a record that expires must not look like one that was lost
	}
}

// play runs the scenario of a step, again when its fault did not land, and gives the verdicts before premises.
func (r *Run) play(ctx context.Context, sc target.Scenario, s Step) (vs []verdict.Verdict) {
	within, cancel := r.limited(ctx)
	defer cancel()
	var mine []*history.History
	first := len(r.stages)
	for try := 1; try <= 1+maxReruns && within.Err() == nil; try++ {
		stage := r.target.Stage(sc, r.opts.Config.Operations[s.Operation], target.StageOptions{Try: try, Storm: r.opts.Storm})
		r.perform(within, sc, stage)
		r.stages = append(r.stages, stage)
		mine = append(mine, stage.Histories()...)
		vs = judgeStep(r.plan, s.Operation, s.Requirements, mine)
		everything := append(judgeStep(r.plan, s.Operation, s.Helps, mine), vs...)
		if r.problem = r.mend(ctx, within, s, everything); r.problem != nil || !again(everything) {
			break
		}
	}
	if len(r.stages) > first && r.problem == nil {
		if last := r.stages[len(r.stages)-1]; whole(last.Histories()) {
			r.played = append(r.played, played{sc, s, last})
		}
	}
	if r.problem != nil {
		for _, stage := range r.stages[first:] {
			stage.Discard(r.problem, verdict.Environment)
		}
		vs = judgeStep(r.plan, s.Operation, s.Requirements, mine)
	}
	return vs
}

// mend makes the target ready for the next step, or says why that is impossible. Where a verdict went against the target, the
// steady state has to be shown to hold still: an outage looks like many a defect, and ends the run instead.
func (r *Run) mend(ctx, within context.Context, s Step, vs []verdict.Verdict) error {
	err := r.target.Revive(within)
	if err == nil && !sound(vs) {
		var h *history.History
		if h, err = r.target.Holds(within, r.opts.Config.Operations[s.Operation]); h != nil {
			r.histories = append(r.histories, h)
		}
	}
	switch over := r.overtime(ctx, within, s.Name()); {
	case over != nil:
		return over
	case err == nil || ctx.Err() != nil:
		return nil
	}
	return &Problem{fmt.Errorf("after %s: %w", s.Name(), err)}
}

// sound tells whether nothing is held against the target, and nothing is in doubt.
func sound(vs []verdict.Verdict) bool {
	return !slices.ContainsFunc(vs, func(v verdict.Verdict) bool {
		return v.Verdict == verdict.Fail || v.Verdict == verdict.Warn || v.Verdict == verdict.Inconclusive
	})
}

// limited ends with the time that the whole run may take.
func (r *Run) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if limit := r.opts.Config.Limits.Duration; limit > 0 {
		return context.WithDeadline(ctx, r.started.Add(limit))
	}
	return context.WithCancel(ctx)
}

// overtime is the problem that this time is over; nil: it is not, or the run was ended from outside.
func (r *Run) overtime(ctx, within context.Context, during string) error {
	if within.Err() == nil || ctx.Err() != nil {
		return nil
	}
	return &Problem{fmt.Errorf("limits.duration: the %v that the run may take were over in %s; raise the limit, or select fewer requirements",
		r.opts.Config.Limits.Duration, during)}
}

// perform runs the procedure; one that breaks is our error and leaves an aborted history.
func (r *Run) perform(ctx context.Context, sc target.Scenario, stage *target.Stage) {
	defer func() {
		if e := recover(); e != nil {
			stage.Abort(fmt.Errorf("the procedure broke: %v", e), verdict.Harness)
		}
	}()
	err := sc.Run(ctx, stage)
	if errors.Is(ctx.Err(), context.Canceled) { // whatever it could not send or see then looks like the target's doing
		err = fmt.Errorf("%s: the run was interrupted", catalogue.BrokenOff)
	}
	if err == nil {
		return
	}
	blame := verdict.Harness
	var env *target.EnvironmentError
	if errors.As(err, &env) || ctx.Err() != nil {
		blame = verdict.Environment
	}
	stage.Abort(err, blame)
}

// again tells whether a scenario has to be repeated: something is inconclusive and nothing failed.
func again(vs []verdict.Verdict) bool {
	inconclusive := false
	for _, v := range vs {
		switch v.Verdict {
		case verdict.Fail, verdict.Warn, verdict.Error:
			return false
		case verdict.Inconclusive:
			inconclusive = true
		}
	}
	return inconclusive
}

func asProblem(err error) error {
	var env *target.EnvironmentError
	if errors.As(err, &env) {
		return &Problem{err}
	}
	return err
}

type silence struct{}

func (silence) Doing(string)                               {}
func (silence) Started(int, int, Step)                     {}
func (silence) Finished(int, int, Step, []verdict.Verdict) {}
