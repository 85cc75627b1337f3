package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/suites"
)

// inContainer is the value of --lifecycle that is not the default.
const inContainer = "container"

// TargetFlags choose what is tested.
type TargetFlags struct {
	Config    string `short:"c" placeholder:"FILE" help:"Configuration of the target; without it the built-in mock is tested."`
	Mutant    string `placeholder:"NAME" help:"Test a variant of the built-in mock with one defect (see: oncespec list mutants)."`
	Lifecycle string `enum:"process,container" default:"process" help:"How the built-in mock runs: as a process, or as a container made of this program alone (needs Docker, and a program built with CGO_ENABLED=0)."`
	Seed      uint64 `placeholder:"N" help:"Repeat the choices of an earlier run; the report names its seed."`
}

// SelectionFlags narrow what is done.
type SelectionFlags struct {
	Requirement []string `short:"r" placeholder:"GLOB" help:"Only these requirements, such as replay/one-effect or 'race/*'."`
	Pack        []string `placeholder:"PACK" help:"Only these packs, such as lost."`
	Operation   []string `placeholder:"NAME" help:"Only these operations of the configuration."`
	Level       []string `placeholder:"LEVEL" help:"Only these levels: must, should, may."`
}

// StormFlags say how long storms last.
type StormFlags struct {
	StormOperations int           `placeholder:"N" help:"Length of lost/storm in calls, on each operation (default 40)."`
	StormFor        time.Duration `placeholder:"TIME" help:"Length of lost/storm in time, on each operation, such as 2m; what fails ends it earlier."`
}

func (s StormFlags) length() storm.Length {
	return storm.Length{Operations: s.StormOperations, For: s.StormFor}
}

// RunCmd runs and reports.
type RunCmd struct {
	TargetFlags
	SelectionFlags
	StormFlags
	Out               string `default:"oncespec-report" placeholder:"DIR" help:"Folder for the reports, the plan and the histories."`
	Strict            bool   `help:"A failed SHOULD fails the run."`
	AllowInconclusive bool   `help:"Inconclusive verdicts do not change the exit code."`
	AllowRemote       bool   `help:"Contact the hosts that the configuration lists under allow_hosts."`
	JSON              bool   `help:"Print the report as JSON instead of the table."`
	Quiet             bool   `short:"q" help:"No progress."`
	Shard             string `placeholder:"I/N" help:"Do only the I-th of N parts; give all parts one --seed, and merge their folders with report merge."`
	Jobs              int    `default:"1" placeholder:"N" help:"Do N parts at once, each with a target of its own, and merge them."`
	Child             bool   `hidden:"" help:"Started by --jobs: tells its progress to a program, and ends when stdin does."`
}

// Help is shown under --help.
func (RunCmd) Help() string {
	return "Examples:\n  oncespec run\n  oncespec run -c oncespec.yaml --out report\n  oncespec run -c oncespec.yaml -r 'race/*' --operation create-order --seed 7\n  oncespec run -c oncespec.yaml -r lost/storm --storm-for 2m\n  oncespec run --mutant mismatch-replays --operation create-ticket"
}

// Run is called by kong.
func (c *RunCmd) Run(ctx context.Context, io streams) error {
	cfg, err := c.load(c.AllowRemote)
	if err != nil {
		return err
	}
	if c.Jobs < 1 {
		return fmt.Errorf("--jobs: found %d, expected 1 or more", c.Jobs)
	}
	if c.Jobs > 1 {
		return c.inShards(tidily(ctx), io, cfg)
	}
	if _, err := run.NewPlan(cfg, c.selection(), 1); err != nil {
		return err // before what the last run left is removed
	}
	if err := run.Prepare(c.Out); err != nil {
		return &exitError{reports.Environment.ExitCode(), err}
	}
	ctx = tidily(ctx)
	var shown interface {
		run.Progress
		end()
	} = newProgress(io.err, c.Quiet)
	if c.Child {
		shown, io.out = &reporting{w: io.err}, discard{}
		var cancel context.CancelFunc
		ctx, cancel = orphaned(ctx)
		defer cancel()
		if _, of, err := run.ParseShard(c.Shard); err == nil {
			suites.Share(cfg, of)
		}
	}
	report, err := suites.Run(ctx, suites.Options{Config: cfg, Selection: c.selection(), Seed: c.Seed, Shard: c.Shard, Out: c.Out, Strict: c.Strict,
		AllowInconclusive: c.AllowInconclusive, AllowRemote: c.AllowRemote, Racy: known(), Storm: storm.Order{Length: c.length()}, Version: version(), Rerun: c.rerun(), Progress: shown})
	shown.end()
	if err != nil {
		return err
	}
	return finish(io, report, c.Out, c.JSON)
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

// load reads the configuration, or makes that of the built-in mock: this program, started once more.
func (t TargetFlags) load(allowRemote bool) (*config.Config, error) {
	if t.Config == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("the built-in mock cannot be started: %w", err)
		}
		if t.Lifecycle == inContainer {
			return suites.MockInContainer(self, t.Mutant)
		}
		return suites.Mock([]string{self}, t.Mutant)
	}
	if t.Lifecycle == inContainer {
		return nil, errors.New("--lifecycle is that of the built-in mock; leave out --config, or name target.lifecycle.container in it")
	}
	if t.Mutant != "" {
		return nil, errors.New("--mutant is a variant of the built-in mock; leave out --config")
	}
	cfg, err := config.Load(t.Config)
	if err != nil {
		return nil, err
	}
	return cfg, config.CheckHosts(cfg, allowRemote)
}

func (s SelectionFlags) selection() run.Selection {
	return run.Selection{Requirements: s.Requirement, Packs: s.Pack, Operations: s.Operation, Levels: s.Level}
}

// rerun is the part of the command line that repeats this run; a report adds what narrows it to one verdict.
func (c *RunCmd) rerun() []string {
	args := []string{"oncespec", "run"}
	if c.Config != "" {
		args = append(args, "--config", c.Config)
	}
	if c.Mutant != "" {
		args = append(args, "--mutant", c.Mutant)
	}
	if c.Lifecycle == inContainer {
		args = append(args, "--lifecycle", c.Lifecycle)
	}
	if c.Strict {
		args = append(args, "--strict")
	}
	if c.AllowRemote {
		args = append(args, "--allow-remote")
	}
	if c.StormOperations != 0 {
		args = append(args, "--storm-operations", strconv.Itoa(c.StormOperations))
	}
	if c.StormFor != 0 {
		args = append(args, "--storm-for", c.StormFor.String())
	}
	if c.Seed != 0 {
		args = append(args, "--seed", strconv.FormatUint(c.Seed, 10))
	}
	return args
}
