package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/suites"
)

// inContainer is the value of --lifecycle that is not the default.
const inContainer = "container"

// TargetFlags choose what is tested.
type TargetFlags struct {
	Config    string `short:"c" placeholder:"FILE" help:"Configuration of the target; without it the built-in mock is tested."`
	Mutant    string `placeholder:"NAME" help:"Test a variant of the built-in mock with one defect (see: oncespec list mutants)."`
	Lifecycle string `enum:"process,container" default:"process" placeholder:"process|container" help:"How the built-in mock runs: as a process, or as a container made of this program alone, which needs Docker and a program built with CGO_ENABLED=0 (default ${default})."`
	Seed      uint64 `placeholder:"N" help:"Repeat the choices of an earlier run; the report names its seed."`
}

// LiveFlags are those of the verbs that send.
type LiveFlags struct {
	TargetFlags
	AllowRemote bool `help:"Contact the hosts that the configuration lists under allow_hosts."`
	Quiet       bool `short:"q" help:"No progress."`
}

// SelectionFlags narrow what is done.
type SelectionFlags struct {
	Requirement []string `short:"r" placeholder:"GLOB" help:"Only these requirements, such as replay/one-effect or 'race/*'."`
	Pack        []string `placeholder:"PACK" help:"Only these packs, such as lost."`
	Operation   []string `placeholder:"NAME" help:"Only these operations of the configuration."`
	Level       []string `placeholder:"LEVEL" help:"Only these levels: must, should."`
}

// OutFlags say where results are written. The command that embeds them sets the variables of the help text: out, the default
// folder, and holds, what the folder will contain.
type OutFlags struct {
	Out  string `default:"${out}" placeholder:"DIR" help:"Folder for ${holds} (default ${default})."`
	JSON bool   `help:"Print the report as JSON instead of as text."`
}

// LeniencyFlags say what a run forgives.
type LeniencyFlags struct {
	AllowInconclusive bool `help:"Inconclusive verdicts do not change the exit code."`
}

// load reads the configuration, or makes that of the built-in mock: this program, started once more.
func (t TargetFlags) load() (*config.Config, error) {
	if t.Config == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("the built-in mock cannot be started: %w", err)
		}
		if t.Lifecycle == inContainer {
			return suites.MockInContainer(self, t.Mutant)
		}
		return suites.Mock([]string{self, asMock}, t.Mutant)
	}
	if t.Lifecycle == inContainer {
		return nil, errors.New("--lifecycle is that of the built-in mock; leave out --config, or name target.lifecycle.container in it")
	}
	if t.Mutant != "" {
		return nil, errors.New("--mutant is a variant of the built-in mock; leave out --config")
	}
	return config.Load(t.Config)
}

// load also refuses a target that may not be contacted.
func (l LiveFlags) load() (*config.Config, error) {
	cfg, err := l.TargetFlags.load()
	if err != nil || l.Config == "" {
		return cfg, err
	}
	return cfg, config.CheckHosts(cfg, l.AllowRemote)
}

// again begins a command line that repeats the verb against the same target.
func (l LiveFlags) again(verb ...string) []string {
	args := append([]string{"oncespec"}, verb...)
	if l.Config != "" {
		args = append(args, "--config", l.Config)
	}
	if l.Mutant != "" {
		args = append(args, "--mutant", l.Mutant)
	}
	if l.Lifecycle == inContainer {
		args = append(args, "--lifecycle", l.Lifecycle)
	}
	if l.AllowRemote {
		args = append(args, "--allow-remote")
	}
	return args
}

// seeded adds the seed, where one was given.
func (t TargetFlags) seeded(args []string) []string {
	if t.Seed == 0 {
		return args
	}
	return append(args, "--seed", strconv.FormatUint(t.Seed, 10))
}

func (s SelectionFlags) selection() run.Selection {
	return run.Selection{Requirements: s.Requirement, Packs: s.Pack, Operations: s.Operation, Levels: s.Level}
}
