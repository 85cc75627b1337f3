package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/goccy/go-yaml"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/mockapi/spelling"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// ExplainCmd explains whatever has a name.
type ExplainCmd struct {
	Name string `arg:"" help:"A requirement, a pack, a profile, a mutant, a rewrite, or a setting of the configuration."`
}

// Help is shown under --help.
func (ExplainCmd) Help() string {
	return "Examples:\n" +
		"  oncespec explain replay/one-effect     a requirement: sources, mutants\n" +
		"  oncespec explain race                  a pack: its requirements\n" +
		"  oncespec explain ietf-07               a profile: the contract to copy\n" +
		"  oncespec explain check-then-insert     a mutant: its defect\n" +
		"  oncespec explain number/beyond-2^53    a rewrite: what says so\n" +
		"  oncespec explain target.lifecycle      a setting: what it takes\n" +
		"  oncespec explain vary                  a setting, by its last name"
}

// Run is called by kong.
func (c *ExplainCmd) Run(to streams) error {
	kinds := []struct {
		names   []string
		explain func(io.Writer, string) error
	}{
		{requirementIDs(), explainRequirement},
		{catalogue.Packs(), explainPack},
		{contract.Profiles(), explainProfile},
		{mutantNames(), explainMutant},
		{ids(rewriteRows()), explainRewrite},
	}
	var names []string
	found := false
	for _, k := range kinds {
		if slices.Contains(k.names, c.Name) {
			if found {
				fmt.Fprintln(to.out)
			}
			if err := k.explain(to.out, c.Name); err != nil {
				return err
			}
			found = true
		}
		names = append(names, k.names...)
	}
	for _, s := range config.Settings(c.Name) {
		if found {
			fmt.Fprintln(to.out)
		}
		explainSetting(to.out, s)
		found = true
	}
	if found {
		return nil
	}
	names = append(names, config.SettingPaths()...)
	return fmt.Errorf("nothing is called %q%s; `oncespec list` names the lists of what there is, `oncespec schema config` all settings", c.Name, spelling.Suggestion(c.Name, names))
}

func ids(rows []row) (ids []string) {
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

func requirementIDs() []string { return ids(requirementRows()) }

func mutantNames() (names []string) {
	for _, m := range append(mutants.List(), mutants.OnPostgres()...) {
		names = append(names, m.Name)
	}
	return names
}

func explainRequirement(out io.Writer, id string) error {
	r, _ := catalogue.Find(id)
	if err := fit(out, 2, func(out io.Writer) error {
		fmt.Fprintf(out, "%s (%s)\n%s\n", r.ID, r.Level, r.Sentence)
		for _, p := range r.Parts {
			fmt.Fprintf(out, "  #%s: %s\n", p.ID, p.Sentence)
		}
		return nil
	}); err != nil {
		return err
	}
	line := func(what string, words []string) {
		if len(words) > 0 {
			fmt.Fprintf(out, "\n%s", wrapped(what+": "+strings.Join(words, ", "), 0))
		}
	}
	var needs, caught []string
	for _, n := range r.Needs {
		needs = append(needs, string(n))
	}
	for _, m := range mutants.List() {
		if slices.ContainsFunc(m.Must, func(id string) bool { name, _, _ := strings.Cut(id, "#"); return name == r.ID }) {
			caught = append(caught, m.Name)
		}
	}
	line("needs", needs)
	line("builds on", r.Premises)
	line("judged on the histories of", r.Scenarios)
	if len(r.Sources) > 0 {
		fmt.Fprintln(out, "\nsources:")
	}
	for _, s := range r.Sources {
		printSource(out, s)
	}
	line("mutants that fail it (oncespec run --mutant NAME)", caught)
	return nil
}

// printSource prints its words, and below them where they can be read.
func printSource(out io.Writer, s catalogue.Source) {
	fmt.Fprint(out, wrapped(string(s), 2))
	for _, link := range s.Links() {
		if link.URL != "" {
			fmt.Fprintf(out, "    %s\n", link.URL)
		}
	}
}

func explainPack(out io.Writer, pack string) error {
	fmt.Fprintf(out, "pack %s: oncespec run --pack %s\n", pack, pack)
	return printRows(out, slices.DeleteFunc(requirementRows(), func(r row) bool { return !strings.HasPrefix(r.ID, pack+"/") }), false)
}

// explainProfile prints what a profile promises, as the block that a configuration may copy and change.
func explainProfile(out io.Writer, name string) error {
	p, err := contract.Profile(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# %s, known from its %s. What is missing is left open, and fails nobody.\n", name, p.Sourced)
	p.Sourced = "" // a profile says this of itself
	text, err := yaml.MarshalWithOptions(map[string]contract.Contract{"contract": p}, yaml.OmitEmpty(), yaml.OmitZero())
	if err != nil {
		return &exitError{exitHarness, fmt.Errorf("profile %s cannot be shown: %w", name, err)}
	}
	_, err = out.Write(text)
	return err
}

func explainMutant(out io.Writer, name string) error {
	m, err := mutants.Find(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "mutant %s of %s\n%s\n", m.Name, m.Operation, wrapped(m.Defect, 0))
	for _, id := range m.Must {
		fmt.Fprintf(out, "fails     %s\n", id)
	}
	for _, may := range m.May {
		fmt.Fprint(out, "may fail  ", strings.TrimLeft(wrapped(may.ID+": "+may.Why, len("may fail  ")), " "))
	}
	if m.Postgres {
		fmt.Fprintln(out, "\nIt has its defect on PostgreSQL only: oncespec mock --db postgres://… --mutant "+m.Name)
		return nil
	}
	fmt.Fprintf(out, "\nSee it fail: oncespec run --mutant %s --operation %s\n", m.Name, m.Operation)
	return nil
}

// classes say what has to happen when the rewritten request is sent under the first one's key.
var classes = map[rewrite.Class]string{
	rewrite.Same:           "by a standard it is the same request: it is answered with the stored answer",
	rewrite.SameByPractice: "nearly everybody takes it for the same request: it is never executed, and should be answered with the stored answer",
	rewrite.ByContract:     "a parameter of the contract decides",
	rewrite.Different:      "it is another request: it is refused",
}

func explainRewrite(out io.Writer, id string) error {
	for _, r := range rewrite.Catalogue() {
		if r.ID != id {
			continue
		}
		fmt.Fprintf(out, "rewrite %s (%s)\n%s", r.ID, r.Class, wrapped(r.Sentence, 0))
		fmt.Fprintf(out, "%s\nneeds a sample with a %s\n", wrapped("Under the key of the unchanged request: "+classes[r.Class]+".", 0), r.Needs)
		fmt.Fprintln(out, "\nsource:")
		printSource(out, catalogue.Source(r.Source))
		fmt.Fprintf(out, "\nTry it: oncespec fuzz --rewrite '%s'\n", r.ID)
	}
	for _, e := range rewrite.JudgedElsewhere() {
		if e.ID == id {
			fmt.Fprintf(out, "rewrite %s\n%sIt takes more than one sample, so that a requirement judges it: oncespec explain %s\n\nTry it: oncespec run -r %s\n", e.ID, wrapped(e.Sentence, 0), e.Requirement, e.Requirement)
		}
	}
	return nil
}

func explainSetting(out io.Writer, s config.Setting) {
	takes := s.Takes
	if s.Required {
		takes += ", required"
	}
	fmt.Fprintf(out, "setting %s\n", s.Path)
	for _, text := range []string{takes, s.Text, s.Kind} {
		fmt.Fprint(out, wrapped(text, 2))
	}
	for _, f := range s.Fields {
		about := f.Takes
		if f.Required {
			about += ", required"
		}
		if text := f.Text; text != "" {
			about += "; " + text
		} else if f.Kind != "" {
			about += "; " + f.Kind
		}
		fmt.Fprintf(out, "\n  %s\n%s", f.Name, wrapped(about, 6))
	}
}

// columns is how wide words for people are at the most.
const columns = 80

// wrapped breaks a text into lines, each indented by so many spaces.
func wrapped(text string, indent int) string {
	if text == "" {
		return ""
	}
	margin := strings.Repeat(" ", indent)
	return margin + strings.ReplaceAll(lipgloss.Wrap(text, columns-indent, ""), "\n", "\n"+margin) + "\n"
}
