package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/mockapi/spelling"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/run"
)

// ListCmd lists what there is.
type ListCmd struct {
	What string `arg:"" optional:"" help:"One of the lists above; without it, which lists there are."`
	JSON bool   `help:"Print JSON."`
}

// Help is shown under --help.
func (ListCmd) Help() string {
	var b strings.Builder
	b.WriteString("The lists:\n")
	for _, r := range listOfLists() {
		fmt.Fprintf(&b, "  %-13s %s\n", r.ID, r.Text)
	}
	return b.String() + "\nExamples:\n  oncespec list requirements\n  oncespec list mutants --json"
}

// row is one line of a listing.
type row struct {
	ID   string `json:"id"`
	Kind string `json:"kind,omitempty"`
	Text string `json:"text"`
}

// lists are what can be listed.
var lists = []struct {
	name, text string
	rows       func() []row
}{
	{"requirements", "what a run asks of an API, each with its level", requirementRows},
	{"profiles", "contracts that APIs keep to, to start a `contract` from", profileRows},
	{"rewrites", "ways to write a request otherwise (fuzz --rewrite)", rewriteRows},
	{"mutants", "variants of the built-in mock with one defect (--mutant)", mutantRows},
	{"scenarios", "what a run does, to judge requirements by", scenarioRows},
}

func listOfLists() (rows []row) {
	for _, l := range lists {
		rows = append(rows, row{ID: l.name, Text: l.text})
	}
	return rows
}

// Run is called by kong.
func (c *ListCmd) Run(to streams) error {
	if c.What == "" {
		return printRows(to.out, listOfLists(), c.JSON)
	}
	var names []string
	for _, l := range lists {
		if l.name == c.What {
			return printRows(to.out, l.rows(), c.JSON)
		}
		names = append(names, l.name)
	}
	return fmt.Errorf("there is no list of %q%s; the lists are %s", c.What, spelling.Suggestion(c.What, names), strings.Join(names, ", "))
}

func printRows(out io.Writer, rows []row, asJSON bool) error {
	if asJSON {
		return printJSON(out, rows)
	}
	var lines [][]string
	for _, r := range rows {
		cells := []string{r.ID, r.Kind, r.Text}
		if r.Kind == "" {
			cells = []string{r.ID, r.Text}
		}
		lines = append(lines, cells)
	}
	return printColumns(out, lines)
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func requirementRows() (rows []row) {
	for _, r := range catalogue.All() {
		rows = append(rows, row{r.ID, string(r.Level), r.Sentence})
	}
	return rows
}

func profileRows() (rows []row) {
	for _, name := range contract.Profiles() {
		p, err := contract.Profile(name)
		if err != nil {
			panic(err) // they are embedded and tested
		}
		text := "Known from its " + p.Sourced + "."
		if name == contract.DefaultProfile {
			text += " The default."
		}
		rows = append(rows, row{ID: name, Kind: p.Name, Text: text + " `oncespec explain " + name + "` shows what it promises."})
	}
	return rows
}

func rewriteRows() (rows []row) {
	for _, r := range rewrite.Catalogue() {
		rows = append(rows, row{r.ID, string(r.Class), r.Sentence})
	}
	for _, e := range rewrite.JudgedElsewhere() {
		rows = append(rows, row{e.ID, "elsewhere", e.Sentence + " Judged by `oncespec run -r " + e.Requirement + "`."})
	}
	return rows
}

func mutantRows() (rows []row) {
	for _, m := range mutants.List() {
		rows = append(rows, row{m.Name, m.Operation, m.Defect})
	}
	return rows
}

func scenarioRows() (rows []row) {
	for _, s := range run.Scenarios() {
		rows = append(rows, row{ID: s.ID, Text: s.Sentence})
	}
	return rows
}
