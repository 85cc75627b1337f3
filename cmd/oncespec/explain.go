package main

import (
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/run"
)

// ExplainCmd explains a requirement.
type ExplainCmd struct {
	ID string `arg:"" help:"A requirement, such as race/one-effect."`
}

// Help is shown under --help.
func (ExplainCmd) Help() string {
	return "Example:\n  oncespec explain replay/one-effect"
}

// Run is called by kong.
func (c *ExplainCmd) Run(io streams) error {
	r, found := catalogue.Find(c.ID)
	if !found {
		var ids []string
		for _, r := range catalogue.All() {
			ids = append(ids, r.ID)
		}
		return fmt.Errorf("no requirement is called %q%s; `oncespec list requirements` shows all", c.ID, run.Nearest(c.ID, ids))
	}
	fmt.Fprintf(io.out, "%s (%s)\n%s\n", r.ID, r.Level, r.Sentence)
	for _, p := range r.Parts {
		fmt.Fprintf(io.out, "  #%s: %s\n", p.ID, p.Sentence)
	}
	line := func(what string, words []string) {
		if len(words) > 0 {
			fmt.Fprintf(io.out, "\n%s: %s\n", what, strings.Join(words, ", "))
		}
	}
	var needs, sources, caught []string
	for _, n := range r.Needs {
		needs = append(needs, string(n))
	}
	for _, s := range r.Sources {
		sources = append(sources, string(s))
	}
	for _, m := range mutants.List() {
		for _, id := range m.Must {
			if name, _, _ := strings.Cut(id, "#"); name == r.ID {
				caught = append(caught, m.Name)
				break
			}
		}
	}
	line("needs", needs)
	line("builds on", r.Premises)
	line("judged on the histories of", r.Scenarios)
	line("sources", sources)
	line("mutants that fail it (oncespec run --mutant NAME)", caught)
	return nil
}
