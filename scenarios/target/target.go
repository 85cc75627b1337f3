package target

import (
	"context"
	"log/slog"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// Options say what to start.
type Options struct {
	Config      *config.Config
	Seed        uint64
	AllowRemote bool         // the configuration's allow_hosts count
	Dir         string       // scratch folder, filled in as {dir}
	Log         *slog.Logger // nil: nothing is logged
}

// Target is the API under test and all that was started for it.
type Target struct{}

// EnvironmentError says that the surroundings do not let the run go on: the target is down or not ready, a port is taken.
type EnvironmentError struct {
	What string // what was being done, for people
	Err  error
}

func (e *EnvironmentError) Error() string { return e.What + ": " + e.Err.Error() }

func (e *EnvironmentError) Unwrap() error { return e.Err }

// Start checks the hosts, starts the gate and the target, and waits until the target can be used.
func Start(ctx context.Context, o Options) (*Target, error) { return nil, nil }

// Close leaves nothing running. It may be called more than once.
func (t *Target) Close(ctx context.Context) error { return nil }

// StageOptions say which run of a scenario a stage is for.
type StageOptions struct {
	Try int // 1 for the first; the histories of later tries get numbers of their own
}

// Stage opens the stage for one run of a scenario on one operation.
func (t *Target) Stage(sc Scenario, op *config.Operation, o StageOptions) *Stage { return nil }

// Quiet waits until nothing is open: it ends leftover flights, releases held calls, says so in their histories, and then
// waits the settle time.
func (t *Target) Quiet(ctx context.Context) {}

// Revive starts the target again where a procedure left it dead, and settles what was left open.
func (t *Target) Revive(ctx context.Context) error { return nil }

// Steady is the steady state of one operation.
type Steady struct {
	Offers  []catalogue.Need          // in the catalogue's order
	Missing map[catalogue.Need]string // need → why it is not offered
	Problem *Problem                  // why nothing can be concluded from this target; nil when all is well
}

// Problem is why the steady state was not reached: the run cannot go on.
type Problem struct {
	Kind   ProblemKind
	Detail string // for people: what was expected, what was found, what to do
}

func (p *Problem) Error() string { return string(p.Kind) + ": " + p.Detail }

// ProblemKind tells problems apart.
type ProblemKind string

// The problems.
const (
	TargetDown    ProblemKind = "the target is down"
	WritesRefused ProblemKind = "writes are refused"
	EffectsUnseen ProblemKind = "effects cannot be seen"
)

// Steady finds the steady state of an operation and keeps it for the stages that follow.
func (t *Target) Steady(ctx context.Context, op *config.Operation) (Steady, *history.History, error) {
	return Steady{}, nil, nil
}
