package main

import (
	"context"
	"fmt"
	"os"

	"github.com/oncespec/oncespec/mockapi/spelling"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/jsonfile"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/suites"
)

// ReplayCmd plays a storm's schedule again.
type ReplayCmd struct {
	Schedule  string `arg:"" help:"A schedule, as a run leaves it in storms/*/schedule.json, or the run's output folder: then the smallest that failed."`
	LiveFlags `group:"Target:"`
	Times     int `default:"3" placeholder:"N" help:"How often it is played (default ${default})."`
	OutFlags  `kong:"set='out=oncespec-replay',set='holds=the reports, the plan and the histories'"`
	LeniencyFlags
}

// Help is shown under --help.
func (ReplayCmd) Help() string {
	return "Plays the schedule of lost/storm again, against the same configuration and with fresh keys, and judges it. What is promised is that\n" +
		"the harness does the same: the same calls, faults, kills and pauses, in the same places. It is not promised that the operating\n" +
		"system and the target run them in the same order: a failure may not come back every time, which is why it is played several times.\n\n" +
		"Examples:\n  oncespec replay oncespec-report -c oncespec.yaml\n" +
		"  oncespec replay schedule.json -c oncespec.yaml --times 20"
}

// Run is called by kong.
func (c *ReplayCmd) Run(ctx context.Context, io streams) error {
	file, err := c.file(io)
	if err != nil {
		return err
	}
	c.Schedule = file // the rerun command names it
	schedule, err := run.ReadSchedule(file)
	if err != nil {
		return err
	}
	if c.Times < 1 {
		return fmt.Errorf("--times %d plays nothing; expected 1 or more", c.Times)
	}
	cfg, err := c.load()
	if err != nil {
		return err
	}
	if cfg.Operations[schedule.Operation] == nil {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return jsonfile.At(file, text, "/operation", "%q is not in the configuration%s", schedule.Operation, spelling.Suggestion(schedule.Operation, cfg.Order))
	}
	if intents := schedule.Intents(); intents > 0 && c.Times > cfg.Limits.Objects/intents {
		return fmt.Errorf("played %d times a schedule of %d intents makes more objects than limits.objects allows, which is %d; raise the limit, or lower --times", c.Times, intents, cfg.Limits.Objects)
	}
	release, err := own(c.Out)
	if err != nil {
		return err
	}
	defer release()
	if err := run.Prepare(c.Out); err != nil {
		return &exitError{reports.Environment.ExitCode(), err}
	}
	shown := newProgress(io.err, c.Quiet)
	report, err := suites.Run(tidily(ctx), suites.Options{Config: cfg, Selection: run.Selection{Requirements: []string{"lost/storm"}, Operations: []string{schedule.Operation}},
		Seed: c.Seed, Out: c.Out, AllowInconclusive: c.AllowInconclusive, AllowRemote: c.AllowRemote,
		Racy: known(), Storm: storm.Order{Schedule: schedule, Times: c.Times}, Version: version(), Rerun: c.rerun(), Progress: shown})
	shown.end()
	if err != nil {
		return err
	}
	return finish(io, report, c.Out, c.JSON)
}

// rerun is the command line that does it again.
func (c *ReplayCmd) rerun() []string {
	return append(c.again("replay", c.Schedule), "--times", fmt.Sprint(c.Times))
}
