package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/run"
)

// ListCmd lists what there is.
type ListCmd struct {
	What string `arg:"" enum:"requirements,profiles,rewrites,mutants,scenarios" help:"requirements, profiles, rewrites, mutants or scenarios."`
	JSON bool   `help:"Print JSON."`
}

// Help is shown under --help.
func (ListCmd) Help() string {
	return "Examples:\n  oncespec list requirements\n  oncespec list mutants --json"
}

// row is one line of a listing.
type row struct {
	ID   string `json:"id"`
	Kind string `json:"kind,omitempty"`
	Text string `json:"text"`
}

// Run is called by kong.
func (c *ListCmd) Run(io streams) error {
	rows, err := c.rows()
	if err != nil {
		return err
	}
	if c.JSON {
		e := json.NewEncoder(io.out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(rows)
	}
	w := tabwriter.NewWriter(io.out, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.ID, r.Kind, r.Text)
	}
	return w.Flush()
}

func (c *ListCmd) rows() (rows []row, err error) {
	switch c.What {
	case "requirements":
		for _, r := range catalogue.All() {
			rows = append(rows, row{r.ID, string(r.Level), r.Sentence})
		}
	case "profiles":
		for _, name := range contract.Profiles() {
			p, err := contract.Profile(name)
			if err != nil {
				return nil, err
			}
			text := "Known from its " + p.Sourced + "."
			if name == contract.DefaultProfile {
				text += " The default."
			}
			rows = append(rows, row{ID: name, Kind: p.Name, Text: text + " `oncespec explain " + name + "` shows what it promises."})
		}
	case "rewrites":
		for _, r := range rewrite.Catalogue() {
			rows = append(rows, row{r.ID, string(r.Class), r.Sentence})
		}
	case "mutants":
		for _, m := range mutants.List() {
			rows = append(rows, row{m.Name, m.Operation, m.Defect})
		}
	case "scenarios":
		for _, s := range run.Scenarios() {
			rows = append(rows, row{ID: s.ID, Text: s.Sentence})
		}
	}
	return rows, nil
}
