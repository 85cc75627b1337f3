package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/suites"
)

// StormFlags say how long storms last.
type StormFlags struct {
	StormOperations int           `placeholder:"N" help:"Length of lost/storm in calls, on each operation (default ${storm})."`
	StormFor        time.Duration `placeholder:"DURATION" help:"Length of lost/storm in time, on each operation, such as 2m; what fails ends it earlier."`
	StormShrink     time.Duration `placeholder:"DURATION" help:"How long the schedule of a storm that fails is made smaller (default ${shrink})."`
}

func (s StormFlags) length() storm.Length {
	return storm.Length{Operations: s.StormOperations, For: s.StormFor}
}

// RunCmd runs and reports.
type RunCmd struct {
	LiveFlags      `group:"Target:"`
	SelectionFlags `group:"Selection:"`
	StormFlags     `group:"Selection:"`
	OutFlags       `kong:"group='Result:',set='out=oncespec-report',set='holds=the reports, the plan and the histories'"`
	Strict         bool `group:"Result:" help:"A failed SHOULD fails the run."`
	LeniencyFlags  `group:"Result:"`
	Shard          string `group:"Shards:" placeholder:"I/N" help:"Do only the I-th of N parts; give all parts one --seed, and merge their folders with: oncespec report merge."`
	Jobs           int    `group:"Shards:" default:"1" placeholder:"N" help:"Do N parts at once, each with a target of its own, and merge them (default ${default})."`
	Child          bool   `hidden:"" help:"Started by --jobs: tells its progress to a program, and ends when stdin does."`
}

// Help is shown under --help.
func (RunCmd) Help() string {
	return "Examples:\n  oncespec run\n  oncespec run -c oncespec.yaml --out report\n  oncespec run -c oncespec.yaml -r 'race/*' --operation create-order --seed 7\n  oncespec run -c oncespec.yaml -r lost/storm --storm-for 2m\n  oncespec run --mutant mismatch-replays --operation create-ticket"
}

// Run is called by kong.
func (c *RunCmd) Run(ctx context.Context, io streams) error {
	cleansUp := func() bool { return true }
	if c.Child {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt) // a terminal's, that all get: it ends when the run that started it says so
		var cancel context.CancelFunc
		ctx, cancel = orphaned(ctx)
		defer cancel()
		cleansUp = context.AfterFunc(ctx, func() { os.Exit(reports.Interrupted.ExitCode()) })
	}
	cfg, err := c.load()
	if err != nil {
		return err
	}
	if c.Jobs < 1 {
		return fmt.Errorf("--jobs: found %d, expected 1 or more", c.Jobs)
	}
	if c.Jobs > 1 {
		return c.inShards(tidily(ctx), io, cfg)
	}
	options := suites.Options{Config: cfg, Selection: c.selection(), Seed: c.Seed, Shard: c.Shard, Out: c.Out, Strict: c.Strict,
		AllowInconclusive: c.AllowInconclusive, AllowRemote: c.AllowRemote, Racy: known(), Storm: storm.Order{Length: c.length(), Shrink: c.StormShrink}, Version: version(), Rerun: c.rerun()}
	if err := options.Check(); err != nil {
		return err // before what the last run left is removed
	}
	release, err := own(c.Out)
	if err != nil {
		return err
	}
	defer release()
	if err := run.Prepare(c.Out); err != nil {
		return &exitError{reports.Environment.ExitCode(), err}
	}
	cleansUp()
	ctx = tidily(ctx)
	var shown interface {
		run.Progress
		end()
	} = newProgress(io.err, c.Quiet)
	if c.Child {
		shown, io.out = &reporting{w: io.err}, discard{}
		if _, of, err := run.ParseShard(c.Shard); err == nil {
			suites.Share(cfg, of)
		}
	}
	options.Progress = shown
	report, err := suites.Run(ctx, options)
	shown.end()
	if err != nil {
		return err
	}
	return finish(io, report, c.Out, c.JSON)
}

// own takes an output folder until it is released. That another program has it is for the user to settle.
func own(dir string) (release func(), err error) {
	release, err = run.Own(dir)
	var used *run.InUse
	if err != nil && !errors.As(err, &used) {
		err = &exitError{reports.Environment.ExitCode(), err}
	}
	return release, err
}

// writeCode is the exit code where a report cannot be written: a volume that is full is the environment's.
func writeCode(err error) int {
	var path *fs.PathError
	var link *os.LinkError
	if errors.As(err, &path) || errors.As(err, &link) {
		return reports.Environment.ExitCode()
	}
	return exitHarness
}

// finish writes the reports of a run and tells what it found.
func finish(io streams, report *reports.Report, out string, asJSON bool) error {
	if err := reports.Write(out, report); err != nil {
		return &exitError{writeCode(err), err}
	}
	return show(io, report, out, asJSON)
}

// known starts the known-racy server: this program, once more. Where that cannot be, it runs in this process.
func known() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, "racy"}
}

// rerun is the part of the command line that repeats this run; a report adds what narrows it to one verdict.
func (c *RunCmd) rerun() []string {
	args := c.again("run")
	if c.Strict {
		args = append(args, "--strict")
	}
	if c.StormOperations != 0 {
		args = append(args, "--storm-operations", strconv.Itoa(c.StormOperations))
	}
	if c.StormFor != 0 {
		args = append(args, "--storm-for", c.StormFor.String())
	}
	if c.StormShrink != 0 {
		args = append(args, "--storm-shrink", c.StormShrink.String())
	}
	return c.seeded(args)
}
