package main

import (
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/suites"
)

// JudgeCmd judges stored histories again.
type JudgeCmd struct {
	Dir  string `arg:"" help:"Output folder of a run."`
	JSON bool   `help:"Print the report as JSON instead of the table."`
}

// Help is shown under --help.
func (JudgeCmd) Help() string {
	return "Reads plan.json and the histories of a run, judges them with this version's rules and prints the result. Nothing is sent and no\nfile is changed.\n\nExample:\n  oncespec judge oncespec-report"
}

// Run is called by kong.
func (c *JudgeCmd) Run(io streams) error {
	plan, histories, err := run.Load(c.Dir)
	if err != nil {
		return err
	}
	report, err := reports.Rejudged(c.Dir, reports.Run{Version: version(), Target: reports.Target{Name: plan.Target, URL: plan.URL}, Contract: plan.Contract,
		Seed: plan.Seed, Rerun: plan.Rerun, Verdicts: run.Judge(plan, histories), Histories: histories, Plays: suites.Plays(plan, histories)})
	if err != nil {
		return err
	}
	return show(io, report, "", c.JSON)
}
