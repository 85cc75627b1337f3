package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/mockapi/spelling"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

const (
	// DefaultCases is how many random pairs an operation gets where neither a number nor a time is given.
	DefaultCases = 1000
	// defaultWorkers is how many screenings are under way together, for the sake of targets that are far away.
	defaultWorkers = 4
	// CollectPercent is what GOGC is best set to in a process that does nothing but search.
	CollectPercent = 400
	// teardown bounds the stopping of what was started.
	teardown = 15 * time.Second
)

// Options of a search. Only Config is required.
type Options struct {
	Config      *config.Config
	Operations  []string      // names; none: all that take the key in a header
	Rewrites    []string      // patterns such as number/*; none: all
	Cases       int           // random pairs an operation, after the sweep; 0: DefaultCases, or no end where For is set
	For         time.Duration // of the search of all operations together, its sweep included, but for an Ending; 0: no end but Cases
	Seed        uint64        // 0: drawn, and written in the report
	Corpus      string        // folder of cases; empty: none
	AllowRemote bool
	Workers     int // screenings under way together; 0: a few, or one where effects are told apart by who is alone
	Version     string
	Progress    func(Progress)         // called one at a time; may be nil
	Found       func(uint64, *Finding) // called with the seed for each finding that is new, as soon as it is made; may be nil

	// For tests: one phase alone, an end at the first finding, and another clock.
	noSweep, noSearch, first bool
	now                      func() time.Time
	ending                   time.Duration
}

// Progress is how far a search is.
type Progress struct {
	Operation string
	Phase     string        // "starting the target", "corpus", "sweep", "search", "ending"
	Pairs, Of int           // Of is 0 where time decides
	Left      time.Duration // of the operation's part of the time
	Requests  int
	Findings  int
}

// Run searches. The error is about configuration, corpus or options: nothing was sent then. What the environment did is in
// the report. When the context ends, the report says what was found until then.
func Run(ctx context.Context, o Options) (*Report, error) {
	ops, rows, err := o.fill()
	if err != nil {
		return nil, err
	}
	corpus, err := ReadCorpus(o.Corpus)
	if err != nil {
		return nil, err
	}
	r := &Report{Schema: Schema, Version: o.Version, Target: o.Config.Target.Name, URL: o.Config.Target.URL, Profile: o.Config.Contract.Profile,
		Seed: o.Seed, Started: time.Now().UTC().Truncate(time.Millisecond), Operations: []*Operation{}}
	began := time.Now()
	defer func() { r.DurationMS = time.Since(began).Milliseconds() }()
	target.Sweep(ctx, func(what string) { o.Progress(Progress{Phase: what}) })
	scratch, clean, err := journal.MakeScratch()
	if err != nil {
		return r, r.ended(ctx, &target.EnvironmentError{What: "scratch folder", Err: err})
	}
	stays := false // what is left of the target may stand on it
	defer func() {
		if stays {
			return
		}
		if left := clean(); left != nil && r.Problem == "" {
			_ = r.ended(ctx, &target.EnvironmentError{What: "scratch folder", Err: left})
		}
	}()

	o.Progress(Progress{Phase: "starting the target"})
	t, err := target.Start(ctx, target.Options{Config: o.Config, Seed: o.Seed, AllowRemote: o.AllowRemote, Dir: scratch})
	var behind *target.LeftBehindError
	if err != nil {
		stays = errors.As(err, &behind)
		var wrong *target.ConfigurationError
		if errors.As(err, &wrong) {
			return nil, err
		}
		return r, r.ended(ctx, err)
	}
	r.URL = t.URL()
	limited, cancel := context.WithCancel(ctx)
	if limit := o.Config.Limits.Duration; limit > 0 {
		limited, cancel = context.WithTimeoutCause(ctx, limit, errDuration)
	}
	defer cancel()
	hunters := make([]*hunter, len(ops))
	for i, op := range ops {
		hunters[i] = &hunter{o: o, target: t, op: op, rows: rows, corpus: corpus, report: &Operation{Name: op.Name, Findings: []*Finding{}}, dismissed: map[string]int{}, clock: clock{now: o.now, ending: o.ending}}
	}
	err = o.searchAll(limited, hunters, r)
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), teardown)
	defer stop()
	down := t.Close(closing)
	stays = errors.As(down, &behind)
	if down != nil && (err == nil || ctx.Err() != nil) {
		err = down
	}
	return r, r.ended(ctx, err)
}

var errDuration = errors.New("limits.duration: the time that the search may take is over; raise the limit, or give a shorter --for")

// ended notes what ended the search early.
func (r *Report) ended(ctx context.Context, err error) error {
	r.Interrupted = ctx.Err() != nil
	var left *target.LeftBehindError
	switch {
	case err == nil || r.Interrupted && !errors.As(err, &left):
		return nil
	case r.Interrupted:
		err = left
	}
	var env *target.EnvironmentError
	var problem *target.Problem
	r.Problem = err.Error()
	r.Environmental = errors.As(err, &env) || errors.As(err, &problem) || errors.Is(err, errDuration)
	return nil
}

// fill draws what was left open, and finds the operations and rewrites that were asked for.
func (o *Options) fill() (ops []*config.Operation, rows []rewrite.Rewrite, err error) {
	if o.Config == nil {
		return nil, nil, errors.New("no configuration")
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()>>12 | 1 // 52 bits: any JSON reader keeps it exact
	}
	if o.Cases == 0 && o.For == 0 {
		o.Cases = DefaultCases
	}
	if o.Cases < 0 || o.For < 0 {
		return nil, nil, errors.New("--cases and --for: expected none below zero")
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.ending == 0 {
		o.ending = Ending
	}
	if o.Found == nil {
		o.Found = func(uint64, *Finding) {}
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	for _, name := range o.Operations {
		op := o.Config.Operations[name]
		if op == nil {
			return nil, nil, fmt.Errorf("--operation %q is not in the configuration%s; it has %s", name, spelling.Suggestion(name, o.Config.Order), strings.Join(o.Config.Order, ", "))
		}
		if keyless(o.Config, op) {
			return nil, nil, fmt.Errorf("--operation %s: its key is in the path, so that no second request comes under it", name)
		}
		ops = append(ops, op)
	}
	for _, name := range o.Config.Order {
		if op := o.Config.Operations[name]; len(o.Operations) == 0 && !keyless(o.Config, op) {
			ops = append(ops, op)
		}
	}
	if len(ops) == 0 {
		return nil, nil, errors.New("the configuration has no operation that takes a key in a header")
	}
	rows, err = choose(o.Rewrites)
	return ops, rows, err
}

func keyless(c *config.Config, op *config.Operation) bool {
	return c.Contract.Name == "" || strings.Contains(op.Request.Path, "{key}")
}

// choose finds the rewrites that the patterns mean; each has to mean one at least.
func choose(patterns []string) ([]rewrite.Rewrite, error) {
	all := rewrite.Catalogue()
	if len(patterns) == 0 {
		return all, nil
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	wanted := map[string]bool{}
	for _, p := range patterns {
		some := false
		for _, r := range all {
			matches, err := path.Match(p, r.ID)
			if err != nil {
				return nil, fmt.Errorf("--rewrite %s: %w", p, err)
			}
			wanted[r.ID] = wanted[r.ID] || matches
			some = some || matches
		}
		for _, e := range rewrite.JudgedElsewhere() {
			if matches, _ := path.Match(p, e.ID); matches && !some {
				return nil, fmt.Errorf("--rewrite %s: a search does not try it, a run does: oncespec run -r %s", p, e.Requirement)
			}
		}
		if !some {
			return nil, fmt.Errorf("--rewrite %q matches nothing%s; `oncespec list rewrites` shows all", p, spelling.Suggestion(p, ids))
		}
	}
	return slices.DeleteFunc(all, func(r rewrite.Rewrite) bool { return !wanted[r.ID] }), nil
}
