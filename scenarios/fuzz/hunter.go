package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// scenario is where the histories of a search say that they come from.
var scenario = target.Scenario{ID: "fingerprint/fuzz", Sentence: "Searches for a pair of requests that the target confuses."}

// hunter searches one operation.
type hunter struct {
	o      Options
	target *target.Target
	op     *config.Operation
	rows   []rewrite.Rewrite
	corpus []Case
	share  time.Duration // of the time; 0: cases decide
	sample *rewrite.Sample

	hunting sync.Mutex // one suspect at a time is looked at

	mu        sync.Mutex // guards what follows
	report    *Operation
	fixed     []string
	dismissed map[string]int  // by rewrite: suspects that turned out to be none
	tried     map[string]bool // pairs that were looked at closely, by their trial
	observed  []observation
	phase     string
	left      func() time.Duration
}

// errLimit ends a search that may make no more objects.
var errLimit = errors.New("limits.objects")

func (h *hunter) run(ctx context.Context) error {
	h.tell("steady state")
	steady, _, err := h.target.Steady(ctx, h.op)
	if err == nil && steady.Problem != nil {
		err = fmt.Errorf("operation %s: %w", h.op.Name, steady.Problem)
	}
	if err != nil {
		return err
	}
	err = h.search(ctx)
	if errors.Is(err, errLimit) {
		h.report.Stopped = fmt.Sprintf("the search has made the %d objects that it may make; raise limits.objects to go on", h.o.Config.Limits.Objects)
		err = nil
	}
	h.conclude()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (h *hunter) search(ctx context.Context) error {
	if done, err := h.premise(ctx); err != nil || done {
		return err
	}
	if err := h.replayCorpus(ctx); err != nil {
		return err
	}
	if !h.o.noSweep {
		if err := h.sweep(ctx); err != nil {
			return err
		}
	}
	if h.o.noSearch {
		return nil
	}
	return h.draw(ctx)
}

// premise sees that an identical retry replays, and takes the sample of the operation.
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
	requests, executions := 0, 0
	for _, hist := range s.Histories() {
		executions += len(hist.Intents)
		for _, e := range hist.Events {
			if e.Attempt != nil {
				requests++
			}
		}
	}
	h.mu.Lock()
	h.report.Requests += requests
	h.report.Executions += executions
	h.mu.Unlock()
	var env *target.EnvironmentError
	if errors.As(err, &env) && env.What == "limits.objects" {
		return errLimit
	}
	return err
}

func (h *hunter) shape() fingerprint.Shape {
	h.mu.Lock()
	defer h.mu.Unlock()
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
	h.mu.Lock()
	p := Progress{Operation: h.op.Name, Phase: phase, Pairs: h.report.Pairs, Requests: h.report.Requests, Findings: len(h.report.Findings)}
	h.phase = phase
	if h.share == 0 {
		p.Of = h.o.Cases
	} else if h.left != nil {
		p.Left = h.left()
	}
	defer h.mu.Unlock() // progress is told one at a time
	h.o.Progress(p)
}

// pair looks closely at one pair, under keys of its own: the verdict on it, and the history that it is about.
func (h *hunter) pair(ctx context.Context, t rewrite.Trial) (out judged, err error) {
	err = h.stage(func(s *target.Stage) error {
		fits, err := fingerprint.SendPair(ctx, s, h.shape(), t)
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
func (h *hunter) keep(j judged, from string) *Finding {
	r, _ := rewrite.Find(j.trial.Rewrite)
	f := &Finding{Operation: h.op.Name, Rewrite: r.ID, Sentence: r.Sentence, Class: r.ClassUnder(h.o.Config.Contract), Kind: j.kind, Warning: j.warning,
		Detail: j.detail, Trial: j.trial, From: from, History: j.history}
	f.Diff = differences(f.History)
	h.mu.Lock()
	defer h.mu.Unlock()
	f.Requests = h.report.Requests
	h.report.Findings = append(h.report.Findings, f)
	if h.o.first {
		h.report.Stopped = "one is enough"
	}
	return f
}

// differences compares the bodies as they were recorded.
func differences(h *history.History) []Difference {
	out := []Difference{}
	a, b := h.First("first"), h.First("rewritten")
	if a == nil || b == nil {
		return out
	}
	x, y := a.Request.Body.Text, b.Request.Body.Text
	if x == y {
		return out
	}
	rootX, errX := rewrite.Parse([]byte(x))
	rootY, errY := rewrite.Parse([]byte(y))
	for _, pointer := range rewrite.DiffPointers([]byte(x), []byte(y)) {
		d := Difference{At: pointer}
		at, _ := rewrite.ParsePointer(pointer)
		if errX == nil && errY == nil {
			if n, ok := rootX.At(at); ok {
				d.A = n.String()
			}
			if n, ok := rootY.At(at); ok {
				d.B = n.String()
			}
		}
		out = append(out, d)
	}
	return out
}

// conclude sums up the rows, and what the wrong ones have in common.
func (h *hunter) conclude() {
	o := h.report
	for _, r := range h.rows {
		i := slices.IndexFunc(o.Rows, func(row Row) bool { return row.ID == r.ID })
		f := o.finding(r.ID)
		switch {
		case f != nil:
			row := Row{ID: r.ID, Class: f.Class, Verdict: verdict.Fail, Detail: f.Detail}
			if f.Warning {
				row.Verdict = verdict.Warn
			}
			if i >= 0 {
				o.Rows[i] = row
			} else {
				o.Rows = append(o.Rows, row)
			}
		case i < 0 && h.sample != nil && o.Premise == "" && !h.o.noSweep:
			_, why := r.Applies(h.sample)
			if why == "" {
				why = "it was not tried"
			}
			o.Rows = append(o.Rows, Row{ID: r.ID, Class: r.ClassUnder(h.o.Config.Contract), Verdict: verdict.NotAssessed, Detail: why})
		}
	}
	order := map[string]int{}
	for i, r := range h.rows {
		order[r.ID] = i
	}
	slices.SortFunc(o.Rows, func(a, b Row) int { return order[a.ID] - order[b.ID] })
	slices.SortStableFunc(o.Findings, func(a, b *Finding) int { return strings.Compare(level(a), level(b)) })
	o.Strategies = diagnose(h.observed)
}

func level(f *Finding) string {
	if f.Warning {
		return "1"
	}
	return "0"
}
