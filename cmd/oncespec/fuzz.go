package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/fuzz"
)

// FuzzCmd searches for a pair of requests that the target confuses.
type FuzzCmd struct {
	LiveFlags `group:"Target:"`
	Operation []string      `group:"Search:" placeholder:"NAME" help:"Only these operations of the configuration."`
	Rewrite   []string      `group:"Search:" placeholder:"GLOB" help:"Only these rewrites, such as 'number/*' (see: oncespec list rewrites)."`
	Cases     int           `group:"Search:" placeholder:"N" help:"Random pairs an operation, after each rewrite was tried on the sample (default 1000, or no end with --for)."`
	For       time.Duration `group:"Search:" placeholder:"DURATION" help:"Search for that long, such as 10m; what seems wrong by then is made small and confirmed, in 10s more at the most."`
	Corpus    string        `group:"Search:" placeholder:"DIR" help:"Folder of pairs that were found before: tried first; what is found is added. Made where it is not there."`
	OutFlags  `kong:"group='Result:',set='out=oncespec-report',set='holds=the report and a script for each pair'"`
	Strict    bool `group:"Result:" help:"A warning (general practice, not a standard) fails the search."`
}

// Help is shown under --help.
func (FuzzCmd) Help() string {
	return "Each rewrite of the catalogue is tried on the sample first, then random bodies. A pair that the target confuses is made small,\n" +
		"confirmed under fresh keys, and kept in the corpus.\n\n" +
		"Examples:\n  oncespec fuzz --mutant fingerprint-float64\n  oncespec fuzz -c oncespec.yaml --for 10m --corpus testdata/pairs\n  oncespec fuzz -c oncespec.yaml --rewrite 'number/*' --cases 200"
}

// Run is called by kong.
func (c *FuzzCmd) Run(ctx context.Context, io streams) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	release, err := own(c.Out)
	if err != nil {
		return err
	}
	defer release()
	debug.SetGCPercent(fuzz.CollectPercent) // it makes little that lasts, and much that does not
	cases := c.Corpus
	if cases == "" {
		cases = filepath.Join(c.Out, "cases")
	}
	if err := fuzz.CheckCorpus(cases); err != nil {
		return fmt.Errorf("--corpus: %w", err)
	}
	shown := &fuzzProgress{progress: newProgress(io.err, c.Quiet)}
	report, err := fuzz.Run(tidily(ctx), fuzz.Options{Config: cfg, Operations: c.Operation, Rewrites: c.Rewrite, Cases: c.Cases, For: c.For, Seed: c.Seed,
		Corpus: c.Corpus, AllowRemote: c.AllowRemote, Version: version(), Progress: shown.tell,
		Found: func(seed uint64, f *fuzz.Finding) { _ = fuzz.Keep(cases, seed, f) }}) // kept at once; WriteCorpus tells of what could not be
	shown.end()
	if err != nil {
		var corpus *fuzz.CorpusError
		if errors.As(err, &corpus) {
			return fmt.Errorf("--corpus: %w; mend or remove it", err)
		}
		return err
	}
	report.Result = string(reports.FuzzResult(report, c.Strict))
	unkept := fuzz.WriteCorpus(cases, report)
	if c.Corpus != "" && unkept == nil {
		unkept = fuzz.MakeCorpus(c.Corpus)
	}
	if err := reports.WriteFuzz(c.Out, report, c.rerun()); err != nil {
		return &exitError{writeCode(err), err}
	}
	if unkept != nil {
		return &exitError{writeCode(unkept), fmt.Errorf("the report is in %s, but not all cases were kept: %w", c.Out, unkept)}
	}
	if c.JSON {
		err = reports.FuzzJSON(io.out, report)
	} else {
		err = reports.FuzzTable(io.out, report, c.rerun(), c.Out, coloured(io.out))
	}
	if err != nil {
		return &exitError{exitHarness, err}
	}
	if code := reports.Result(report.Result).ExitCode(); code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// rerun is the part of the command line that repeats this search; a report adds what narrows it to one pair.
func (c *FuzzCmd) rerun() []string { return c.again("fuzz") }

// fuzzProgress tells on one line how far the search is: at most a few times a second, and elsewhere than on a terminal only when
// a phase begins or a tenth is done.
type fuzzProgress struct {
	*progress
	mu   sync.Mutex
	last time.Time
	said string
}

const progressEvery = 100 * time.Millisecond

func (f *fuzzProgress) tell(p fuzz.Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	what := p.Phase
	if p.Operation != "" {
		what = p.Operation + ": " + p.Phase
	}
	if f.live {
		if what == f.said && time.Since(f.last) < progressEvery {
			return
		}
		f.last, f.said = time.Now(), what
		f.say(what + counted(p))
		return
	}
	if p.Of > 0 && p.Phase == "search" {
		what += fmt.Sprintf(" %d%%", 10*min(10, 10*p.Pairs/p.Of))
	}
	if what == f.said {
		return
	}
	f.said = what
	f.say(what + counted(p))
}

func counted(p fuzz.Progress) string {
	if p.Requests == 0 {
		return " …"
	}
	text := fmt.Sprintf("  %d pairs, %d requests", p.Pairs, p.Requests)
	if p.Left > 0 {
		text += fmt.Sprintf(", %s left", p.Left.Round(time.Second))
	}
	if p.Findings > 0 {
		text += fmt.Sprintf("  (%d found)", p.Findings)
	}
	return text
}
