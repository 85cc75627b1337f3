package suites

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// Options of a run of the suite. Only Config is required.
type Options struct {
	Config            *config.Config // as config.Load or config.Parse returns it
	Selection         run.Selection
	Shard             string      // "2/3": only the second of three parts of what is selected; empty: all of it
	Seed              uint64      // 0: drawn, and written in the report; a shard needs one
	Out               string      // folder for reports and histories; empty: nothing is written
	Strict            bool        // a failed SHOULD is a fail
	AllowInconclusive bool        // inconclusive verdicts do not fail
	AllowRemote       bool        // hosts named under allow_hosts may be contacted
	Racy              []string    // starts the bundled known-racy server at the address that is appended (racy.Main); nil: in this process
	Version           string      // of the tool, for the report
	Storm             storm.Order // what lost/storm plays; zero: the usual length
	Rerun             []string
	Progress          run.Progress
}

// Check tells what is wrong with the options, as a run would, before anything is done.
func (o Options) Check() error {
	_, err := o.fill().plan()
	return err
}

// fill draws what was left open. Shards of one run cannot each draw a seed.
func (o Options) fill() Options {
	if o.Seed == 0 && o.Shard == "" {
		o.Seed = rand.Uint64()>>12 | 1 // 52 bits: any JSON reader keeps it exact
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	return o
}

// plan selects what is done, which part of it, and how long storms last.
func (o Options) plan() (*run.Plan, error) {
	plan, err := run.NewPlan(o.Config, o.Selection, o.Seed)
	if err != nil {
		return nil, err
	}
	plan.Rerun, plan.Tool = o.Rerun, o.Version
	if err := plan.SetStormLength(o.Config, o.Storm.Length); err != nil {
		return nil, err
	}
	if o.Shard == "" {
		return plan, nil
	}
	index, of, err := run.ParseShard(o.Shard)
	if err == nil && o.Seed == 0 {
		return nil, fmt.Errorf("--shard %s has no --seed: all shards need one --seed, such as the number of the CI run, for report merge joins only the parts of one run", o.Shard)
	}
	if err == nil {
		err = plan.Divide(index, of)
	}
	if err != nil {
		return nil, fmt.Errorf("--shard: %w", err)
	}
	return plan, nil
}

// Suite is a registered tree and what its run led to.
type Suite struct {
	opts    Options
	ctx     context.Context // ends the run from outside
	plan    *run.Plan
	started time.Time

	mu          sync.Mutex // held by what acts: after a second interrupt Ginkgo goes on without waiting for the node that runs
	run         *run.Run
	problem     error
	interrupted bool
	report      *reports.Report
}

// Report is what the run found; nil until the tree has run.
func (s *Suite) Report() *reports.Report { return s.report }
