package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

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
	w := tabwriter.NewWriter(io.out, 0, 8, 2, ' ', 0)
	for _, s := range p.Steps {
		sc, err := run.Scenario(s.Scenario)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Scenario, display.Line(s.Operation), sc.Sentence)
	}
	w.Flush()
	skipped := 0
	for _, c := range p.Checks {
		if c.Skip != "" {
			skipped++
		}
	}
	if skipped > 0 {
		fmt.Fprintf(io.out, "\nnot assessed:\n")
		for _, c := range p.Checks {
			if c.Skip != "" {
				fmt.Fprintf(w, "%s\t%s\t%s\n", c.Requirement, display.Line(c.Operation), display.Line(c.Skip))
			}
		}
		w.Flush()
	}
	return nil
}
