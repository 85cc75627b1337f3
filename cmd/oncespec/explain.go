package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/run"
)

// ExplainCmd explains a requirement or a profile.
type ExplainCmd struct {
	ID string `arg:"" help:"A requirement, such as race/one-effect, or a profile, such as ietf-07."`
}

// Help is shown under --help.
func (ExplainCmd) Help() string {
	return "Examples:\n  oncespec explain replay/one-effect\n  oncespec explain ietf-07"
}

// Run is called by kong.
func (c *ExplainCmd) Run(io streams) error {
	if slices.Contains(contract.Profiles(), c.ID) {
		return explainProfile(io, c.ID)
	}
	r, found := catalogue.Find(c.ID)
	if !found {
		var ids []string
		for _, r := range catalogue.All() {
			ids = append(ids, r.ID)
		}
		return fmt.Errorf("no requirement is called %q%s; `oncespec list requirements` shows all, `oncespec list profiles` the profiles", c.ID, run.Nearest(c.ID, ids))
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
	var needs, caught []string
	for _, n := range r.Needs {
		needs = append(needs, string(n))
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
	if len(r.Sources) > 0 {
		fmt.Fprintln(io.out, "\nsources:")
	}
	for _, s := range r.Sources {
		fmt.Fprintf(io.out, "  %s\n", s)
		for _, link := range s.Links() {
			fmt.Fprintf(io.out, "    %s\n", link)
		}
	}
	line("mutants that fail it (oncespec run --mutant NAME)", caught)
	return nil
}

// explainProfile prints what a profile promises, as the block that a configuration may copy and change.
func explainProfile(io streams, name string) error {
	p, err := contract.Profile(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(io.out, "# %s, known from its %s. What is missing is left open, and fails nobody.\n", name, p.Sourced)
	p.Sourced = "" // a profile says this of itself
	text, err := yaml.MarshalWithOptions(map[string]contract.Contract{"contract": p}, yaml.OmitEmpty(), yaml.OmitZero())
	if err != nil {
		return &exitError{exitHarness, fmt.Errorf("profile %s cannot be shown: %w", name, err)}
	}
	_, err = io.out.Write(text)
	return err
}
