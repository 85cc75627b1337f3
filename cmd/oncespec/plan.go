package main

import (
	"encoding/json"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/run"
)

// PlanCmd shows a plan.
type PlanCmd struct {
	TargetFlags    `group:"Target:"`
	SelectionFlags `group:"Selection:"`
	StormFlags     `group:"Selection:"`
	JSON           bool `group:"Result:" help:"Print the plan as JSON."`
}

// Help is shown under --help.
func (PlanCmd) Help() string {
	return "Examples:\n  oncespec plan -c oncespec.yaml\n  oncespec plan --pack crash --json"
}

// Run is called by kong.
func (c *PlanCmd) Run(io streams) error {
	cfg, err := c.load() // nothing is contacted, so that any host may be named
	if err != nil {
		return err
	}
	p, err := run.NewPlan(cfg, c.selection(), max(c.Seed, 1))
	if err != nil {
		return err
	}
	if err := p.SetStormLength(cfg, c.length()); err != nil {
		return err
	}
	if c.JSON {
		text, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			return &exitError{exitHarness, err}
		}
		_, err = fmt.Fprintf(io.out, "%s\n", display.JSON(text))
		return err
	}
	fmt.Fprintf(io.out, "%s\n\n", display.Line(fmt.Sprintf("%s at %s, contract %s", p.Target, p.URL, p.Contract.Profile)))
	var steps, skipped [][]string
	for _, s := range p.Steps {
		sc, err := run.Scenario(s.Scenario)
		if err != nil {
			return err
		}
		steps = append(steps, []string{s.Scenario, display.Line(s.Operation), sc.Sentence})
	}
	for _, c := range p.Checks {
		if c.Skip != "" {
			skipped = append(skipped, []string{c.Requirement, display.Line(c.Operation), display.Line(c.Skip)})
		}
	}
	if err := printColumns(io.out, steps); err != nil || len(skipped) == 0 {
		return err
	}
	fmt.Fprintf(io.out, "\nnot assessed:\n")
	return printColumns(io.out, skipped)
}
