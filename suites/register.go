package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// cleanupGrace bounds how long an interrupted node may take to stop cleanly.
const cleanupGrace = 20 * time.Second

// Register adds the specs to the Ginkgo suite that is being built: call it where you would write a container, or at package
// level. Nothing is started until the suite runs. The error names what is wrong with the configuration or the selection.
func Register(o Options) (*Suite, error) {
	o = o.fill()
	plan, err := o.plan()
	if err != nil {
		return nil, err
	}
	s := &Suite{opts: o, plan: plan, ctx: context.Background(), started: time.Now()}
	ginkgo.Describe("exactly once: "+label(plan.Target), ginkgo.Ordered, ginkgo.Serial, ginkgo.ContinueOnFailure, ginkgo.Label("oncespec"), func() {
		ginkgo.BeforeAll(s.begin, ginkgo.GracePeriod(cleanupGrace))
		ginkgo.AfterAll(s.end, ginkgo.GracePeriod(cleanupGrace))
		for _, step := range slices.Clone(plan.Steps) {
			s.container(step)
		}
		s.lastCount()
	})
	return s, nil
}

// begin starts the target. A problem of the environment is one failure, not hundreds.
func (s *Suite) begin(spec ginkgo.SpecContext) {
	s.acting(spec, func(ctx context.Context) { s.start(ctx) })
	stopped(s.problem)
}

func (s *Suite) start(ctx context.Context) {
	s.run, s.problem = run.Begin(ctx, run.Options{Config: s.opts.Config, Plan: s.plan, Out: s.opts.Out, Strict: s.opts.Strict, Racy: s.opts.Racy,
		AllowRemote: s.opts.AllowRemote, Storm: s.opts.Storm, Progress: s.opts.Progress})
	if s.problem == nil {
		s.problem = s.run.Problem()
	}
}

// container holds one scenario on one operation: it runs once, then each requirement's sentence is one spec.
func (s *Suite) container(step run.Step) {
	ginkgo.Context(step.Scenario+" on "+step.Operation, ginkgo.Ordered, func() {
		var found []verdict.Verdict
		var failed error
		ginkgo.BeforeAll(func(spec ginkgo.SpecContext) {
			s.acting(spec, func(ctx context.Context) { found, failed = s.run.Step(ctx, step) })
		}, ginkgo.GracePeriod(cleanupGrace))
		if len(step.Requirements) == 0 {
			ginkgo.It("leaves histories that other requirements are judged by", func() { stopped(failed) })
		}
		for _, id := range step.Requirements {
			r, _ := catalogue.Find(id)
			ginkgo.It(r.ID+": "+r.Sentence, labels(r, step.Operation), func() {
				stopped(failed)
				s.assert(only(found, id))
			})
		}
	})
}

// lastCount waits for quiet, counts everything once more and judges what was stored: late duplicates do not escape.
func (s *Suite) lastCount() {
	ginkgo.Context("after quiet", ginkgo.Ordered, func() {
		var final []verdict.Verdict
		ginkgo.BeforeAll(func(spec ginkgo.SpecContext) {
			s.acting(spec, func(ctx context.Context) { final = s.finish(ctx) })
			stopped(s.problem)
		}, ginkgo.GracePeriod(cleanupGrace))
		for _, c := range s.plan.Checks {
			if !s.plan.Asks(c) {
				continue
			}
			r, _ := catalogue.Find(c.Requirement)
			ginkgo.It(r.ID+" on "+c.Operation+" still holds", labels(r, c.Operation), func() {
				var mine []verdict.Verdict
				for _, v := range only(final, c.Requirement) {
					if slices.Contains(v.Operations, c.Operation) {
						mine = append(mine, v)
					}
				}
				s.assert(mine)
			})
		}
	})
}

// finish counts for the last time and makes the report.
func (s *Suite) finish(ctx context.Context) []verdict.Verdict {
	vs, hs, err := s.run.Finish(ctx)
	s.interrupted = s.interrupted || ctx.Err() != nil
	s.conclude(vs, hs, err)
	return vs
}

// conclude makes the report of a run that started.
func (s *Suite) conclude(vs []verdict.Verdict, hs []*history.History, err error) {
	if s.problem == nil {
		s.problem = s.run.Problem()
	}
	if s.problem == nil {
		s.problem = err
	}
	s.report = s.summarise(vs, hs)
}

// summarise makes the report. What an interrupt broke off is no problem of the environment's or ours; what could not be ended
// is told all the same.
func (s *Suite) summarise(vs []verdict.Verdict, hs []*history.History) *reports.Report {
	if s.interrupted {
		var left *target.LeftBehindError
		if errors.As(s.problem, &left) {
			s.problem = left
		} else {
			s.problem = nil
		}
	}
	var env *run.Problem
	return reports.New(reports.Run{Shard: s.opts.Shard, Version: s.opts.Version, Target: reports.Target{Name: s.plan.Target, URL: s.plan.URL}, Contract: s.plan.Contract,
		Seed: s.plan.Seed, Started: s.started, Took: time.Since(s.started), Rerun: s.plan.Rerun, Verdicts: vs, Histories: hs, Plays: Plays(s.plan, hs),
		Problem: s.problem, Environmental: errors.As(s.problem, &env), Interrupted: s.interrupted, AllowInconclusive: s.opts.AllowInconclusive})
}

// end stops everything, and reports what was seen where the suite was cut short.
func (s *Suite) end(spec ginkgo.SpecContext) {
	if err := s.stop(spec); err != nil {
		ginkgo.Fail("teardown: " + err.Error())
	}
}

// stop ends the run, and what was still to be done where it was cut short. It may be called twice. The context of a node that is
// interrupted has ended; what was started is ended all the same.
func (s *Suite) stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problem == nil && s.run != nil {
		s.problem = s.run.Problem()
	}
	if s.report == nil {
		s.interrupted = s.interrupted || s.problem == nil
	}
	if s.run == nil {
		return nil
	}
	if s.report == nil {
		ended, cancel := context.WithCancel(ctx)
		cancel() // nothing is counted any more
		s.conclude(s.run.Finish(ended))
	}
	return s.run.Close(ctx)
}

// acting calls what a node does with a context that ends with the spec, or with the one that Run was given, and notes
// whether it did.
func (s *Suite) acting(spec ginkgo.SpecContext, do func(context.Context)) {
	ctx, cancel := context.WithCancel(spec)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	s.mu.Lock()
	defer s.mu.Unlock()
	do(ctx)
	s.interrupted = s.interrupted || ctx.Err() != nil
}

// assert fails the spec for fails and errors, and for inconclusive verdicts unless they are allowed; it skips what is not
// assessed with the reason, and notes warnings.
func (s *Suite) assert(vs []verdict.Verdict) {
	var bad, skipped []string
	for _, v := range vs {
		line := fmt.Sprintf("%s: %s", v.Name(), v.Detail)
		switch v.Verdict {
		case verdict.Fail, verdict.Error:
			bad = append(bad, fmt.Sprintf("%s %s", v.Verdict, line))
		case verdict.Inconclusive:
			if !s.opts.AllowInconclusive {
				bad = append(bad, "inconclusive "+line)
			}
		case verdict.Warn:
			ginkgo.AddReportEntry("warning", line)
		case verdict.NotAssessed:
			skipped = append(skipped, v.Detail)
		}
	}
	if len(bad) > 0 {
		ginkgo.Fail(strings.Join(bad, "\n"))
	}
	if len(skipped) > 0 && len(skipped) == len(vs) {
		ginkgo.Skip(skipped[0])
	}
}

func stopped(err error) {
	if err != nil {
		ginkgo.AbortSuite(err.Error())
	}
}

func only(vs []verdict.Verdict, id string) (mine []verdict.Verdict) {
	for _, v := range vs {
		if v.ID == id {
			mine = append(mine, v)
		}
	}
	return mine
}

func labels(r catalogue.Requirement, operation string) ginkgo.Labels {
	return ginkgo.Label(r.Pack(), strings.ToLower(string(r.Level)), label(operation))
}

// label drops what Ginkgo does not allow in labels.
func label(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("&|!,()/:", r) || r < ' ' {
			return '-'
		}
		return r
	}, s)
}
