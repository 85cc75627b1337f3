package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// scenario is where the histories of a search say that they come from.
var scenario = target.Scenario{ID: "fingerprint/fuzz", Sentence: "Searches for a pair of requests that the target confuses."}

// hunter searches one operation. Requests go out several at a time; what is made of the answers is decided one after the other, in
// an order that does not depend on which came first (see inTurn), so that a seed gives the same search again.
type hunter struct {
	o      Options
	target *target.Target
	op     *config.Operation
	rows   []rewrite.Rewrite
	corpus []Case
	sample *rewrite.Sample
	clock
	cut bool // the time was up before the sweep was done

	report    *Operation
	phase     string // where a finding is from
	refused   []rewrite.Change
	fixed     []string
	dismissed map[string]int // by rewrite: suspects that turned out to be none
	observed  []observation
	deferred  []deferred
	drawn     []rewrite.Rewrite // for random bodies
}

// errLimit ends a search that may make no more objects.
var errLimit = errors.New("limits.objects")

// open looks whether anything can be told of the operation, and tries what is known: the corpus, and the catalogue on the sample.
func (h *hunter) open(ctx context.Context) error {
	h.tell("steady state")
	steady, _, err := h.target.Steady(ctx, h.op)
	if err == nil && steady.Problem != nil {
		err = fmt.Errorf("operation %s: %w", h.op.Name, steady.Problem)
	}
	if err != nil {
		return h.stopped(ctx, err)
	}
	if done, err := h.premise(ctx); err != nil || done {
		return h.stopped(ctx, err)
	}
	h.phase = "corpus"
	if err := h.replayCorpus(ctx); err != nil {
		return h.stopped(ctx, err)
	}
	h.phase = "sweep"
	if h.o.noSweep {
		return nil
	}
	return h.stopped(ctx, h.sweep(ctx))
}

// random draws bodies.
func (h *hunter) random(ctx context.Context) error {
	h.phase = "search"
	if h.up() {
		h.report.Stopped = "the time was up when the sweep was done: no random body was tried; give a longer --for"
		return nil
	}
	return h.stopped(ctx, h.draw(ctx))
}

// stopped notes that the search may make no more objects, which is no error.
func (h *hunter) stopped(ctx context.Context, err error) error {
	h.forget()
	if errors.Is(err, errLimit) {
		h.report.Stopped = fmt.Sprintf("the search has made the %d objects that it may make; raise limits.objects to go on", h.o.Config.Limits.Objects)
		return nil
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// premise checks that an identical retry replays, and takes the sample of the operation.
func (h *hunter) premise(ctx context.Context) (done bool, err error) {
	err = h.stage(func(s *target.Stage) error {
		in, err := s.Intent(ctx)
		if err != nil {
			return err
		}
		if h.sample, err = fingerprint.SampleOf(s, in, fingerprint.Shape{}); err != nil {
			return err
		}
		first := s.Do(ctx, in, target.Send{Label: "first", Direct: true})
		again := s.Do(ctx, in, target.Send{Label: "again", Direct: true})
		seen := s.Observe(ctx, in, "after")
		switch {
		case ctx.Err() != nil:
			done = true
		case !s.Class(first).Success():
			h.report.Premise = "the sample itself is answered " + says(s, first)
		case !s.Class(again).Success():
			h.report.Premise = "the identical request is refused too, with " + says(s, again) + ": this target tells no repetition from another"
		case slices.ContainsFunc(seen, func(o history.Observation) bool { return o.Error == "" && o.Count > 1 }):
			h.report.Premise = "the identical request is executed again: no fingerprint is compared; see `oncespec run -r replay/one-effect`"
			h.report.Duplicates = true
		}
		done = done || h.report.Premise != ""
		return nil
	})
	return done, err
}

func says(s *target.Stage, a *history.Attempt) string {
	if a.Answer == nil {
		return a.Outcome
	}
	return fmt.Sprintf("%d %s", a.Answer.Status, s.Class(a))
}

// stage runs one trial on a stage of its own, counts what it sent, and forgets it.
func (h *hunter) stage(act func(*target.Stage) error) error {
	s := h.target.Stage(scenario, h.op, target.StageOptions{})
	defer s.Drop()
	err := act(s)
	h.spent(s)
	return limited(err)
}

// begin opens a stage and makes its intent: the objects of a search are made in turn, so that it ends at the same one.
func (h *hunter) begin(ctx context.Context) (*target.Stage, *target.Intent, error) {
	s := h.target.Stage(scenario, h.op, target.StageOptions{})
	in, err := s.Intent(ctx)
	return s, in, limited(err)
}

// spent counts what a stage sent.
func (h *hunter) spent(s *target.Stage) {
	for _, hist := range s.Histories() {
		h.report.Executions += len(hist.Intents)
		for _, e := range hist.Events {
			if e.Attempt != nil {
				h.report.Requests++
			}
		}
	}
}

func limited(err error) error {
	var env *target.EnvironmentError
	if errors.As(err, &env) && env.What == "limits.objects" {
		return errLimit
	}
	return err
}

func (h *hunter) shape() fingerprint.Shape {
	return fingerprint.Shape{Direct: true, Fixed: slices.Clone(h.fixed)}
}

// workers is how many screenings may be under way together.
func (h *hunter) workers() int {
	switch {
	case h.op.Isolate == config.Exclusive:
		return 1
	case h.o.Workers > 0:
		return h.o.Workers
	}
	return defaultWorkers
}

func (h *hunter) tell(phase string) {
	p := Progress{Operation: h.op.Name, Phase: phase, Pairs: h.report.Pairs, Requests: h.report.Requests, Findings: len(h.report.Findings)}
	if h.until.IsZero() {
		p.Of = h.o.Cases
	} else if p.Left = h.left(); h.up() && phase != "steady state" {
		p.Phase = "ending"
	}
	h.o.Progress(p)
}

// enough tells whether the search was told to end.
func (h *hunter) enough() bool { return h.report.Stopped != "" }

// pair looks closely at one pair, under keys of its own: the verdict on it, and the history that it is about.
func (h *hunter) pair(ctx context.Context, shape fingerprint.Shape, t rewrite.Trial) (out judged, err error) {
	err = h.stage(func(s *target.Stage) error {
		fits, err := fingerprint.SendPair(ctx, s, shape, t)
		hs := s.Histories()
		if err != nil || !fits || len(hs) == 0 {
			return err
		}
		f, ok := fingerprint.Judge(s.Contract(), hs[0])
		if !ok {
			return nil
		}
		out = judged{verdict: f.Outcome, detail: f.Detail, warning: fingerprint.Warns(f), history: hs[0], kind: fingerprint.KindOf(s.Contract(), hs[0]), trial: t}
		return nil
	})
	return out, err
}

// original looks whether a refused B takes A's record with it.
func (h *hunter) original(ctx context.Context, t rewrite.Trial) (out judged, err error) {
	r, _ := rewrite.Find(t.Rewrite)
	err = h.stage(func(s *target.Stage) error {
		kind, err := fingerprint.TryOriginal(ctx, s, h.shape(), t)
		hs := s.Histories()
		if err != nil || len(hs) == 0 {
			return err
		}
		out = judged{trial: t, verdict: verdict.Pass, history: hs[0], detail: "A replays, or is refused all the same"}
		if kind != "" {
			out.verdict, out.kind = verdict.Fail, kind
			out.detail = "original lost: A replayed, B (" + r.Sentence + ") was refused, and after it A is refused too"
		}
		return nil
	})
	return out, err
}

// judged is the verdict on one pair. The zero value: the trial did not fit, or was not sent.
type judged struct {
	trial   rewrite.Trial
	verdict verdict.Outcome
	detail  string
	warning bool
	kind    fingerprint.Kind
	history *history.History
}

func (j judged) failed() bool { return j.verdict == verdict.Fail }

// keep makes a finding of a verdict.
func (h *hunter) keep(j judged) *Finding {
	r, _ := rewrite.Find(j.trial.Rewrite)
	f := &Finding{Operation: h.op.Name, Rewrite: r.ID, Sentence: r.Sentence, Class: r.ClassUnder(h.o.Config.Contract), Kind: j.kind, Warning: j.warning,
		Detail: j.detail, Trial: j.trial, From: h.phase, Requests: h.report.Requests, History: j.history}
	f.Diff = differences(f.History)
	h.report.Findings = append(h.report.Findings, f)
	if h.phase != "corpus" {
		h.o.Found(h.o.Seed, f)
	}
	if h.o.first {
		h.report.Stopped = "one is enough"
	}
	return f
}

func (h *hunter) count(pairs int) { h.report.Pairs += pairs }

// row notes what became of a rewrite in the sweep.
func (h *hunter) row(id string, v verdict.Outcome, detail string) {
	r, _ := rewrite.Find(id)
	row := Row{ID: id, Class: r.ClassUnder(h.o.Config.Contract), Verdict: v, Detail: detail}
	i := slices.IndexFunc(h.report.Rows, func(other Row) bool { return other.ID == id })
	switch {
	case i < 0:
		h.report.Rows = append(h.report.Rows, row)
	case telling(v) > telling(h.report.Rows[i].Verdict): // it acts at several places
		h.report.Rows[i] = row
	}
}

// telling orders what was seen at the places of one rewrite: what tells most is its row.
func telling(v verdict.Outcome) int {
	return slices.Index([]verdict.Outcome{verdict.NotAssessed, verdict.Pass, verdict.Warn, verdict.Inconclusive, verdict.Error, verdict.Fail}, v)
}

// observe keeps how the target took a pair, for the diagnosis.
func (h *hunter) observe(changes []rewrite.Change, t rewrite.Trial, alike, wrong bool) {
	t.Changes = append(slices.Clone(changes), t.Changes...)
	pair, ok := h.sample.Pair(t)
	r, _ := rewrite.Find(t.Rewrite)
	if _, coded := pair.B.Get("Content-Encoding"); !ok || coded || r.Part != rewrite.Body && r.Part != rewrite.Query {
		return // the strategies say nothing of it
	}
	if len(h.observed) < mostObserved {
		h.observed = append(h.observed, observation{rewrite: t.Rewrite, a: pair.A, b: pair.B, alike: alike, wrong: wrong})
	}
}
