package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/fuzz"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// FuzzResult sums up a search in one word; a warning alone is none, unless strict.
func FuzzResult(r *fuzz.Report, strict bool) Result {
	tried, unclear := 0, false
	for _, o := range r.Operations {
		tried += o.Pairs
		for _, row := range o.Rows {
			unclear = unclear || row.Verdict == verdict.Inconclusive
		}
		for _, c := range o.Corpus {
			unclear = unclear || c.Verdict == verdict.Inconclusive
		}
	}
	wrong := slices.ContainsFunc(r.Operations, func(o *fuzz.Operation) bool {
		return o.Duplicates || slices.ContainsFunc(o.Findings, func(f *fuzz.Finding) bool { return strict || !f.Warning })
	})
	switch {
	case r.Interrupted:
		return Interrupted
	case r.Problem != "" && r.Environmental:
		return Environment
	case r.Problem != "":
		return Broken
	case wrong:
		return NotConformant
	case tried == 0 || unclear:
		return Undecided
	}
	return Conformant
}

// FuzzJSON writes the report for machines.
func FuzzJSON(w io.Writer, r *fuzz.Report) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(display.JSON(text.Bytes())) // it may go to a terminal
	return err
}

// narrowed is what was there: a value, or nothing.
func narrowed(n fuzz.Narrowed) string {
	if n.Value == "" {
		return "nothing"
	}
	return short(n.Value)
}

// fuzzFiles are what WriteFuzz makes in its folder.
const (
	fuzzJSON     = "fuzz.json"
	fuzzMarkdown = "fuzz.md"
	fuzzJUnit    = "fuzz.xml"
	fuzzScripts  = "pairs"
)

// WriteFuzz writes the report, and a script for each pair, into the folder. What an earlier search left there goes; each file
// is whole or absent, and where fuzz.json is, all are.
func WriteFuzz(dir string, r *fuzz.Report, rerun []string) error {
	scripts := filepath.Join(dir, fuzzScripts)
	for _, old := range []string{filepath.Join(dir, fuzzJSON), scripts} {
		if err := os.RemoveAll(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.MkdirAll(scripts, 0o755); err != nil {
		return err
	}
	for i, f := range fuzzFindings(r) {
		name := fmt.Sprintf("%03d-%s-%s.sh", i+1, f.Operation, strings.NewReplacer("/", "-", "^", "-").Replace(f.Rewrite))
		if err := os.WriteFile(filepath.Join(scripts, name), []byte(script(f.History)), 0o755); err != nil {
			return err
		}
	}
	return write(dir, []file{
		{fuzzJSON, func(w io.Writer) error { return FuzzJSON(w, r) }},
		{fuzzMarkdown, func(w io.Writer) error { return FuzzMarkdown(w, r, rerun) }},
		{fuzzJUnit, func(w io.Writer) error { return FuzzJUnit(w, r, rerun) }},
	})
}

func fuzzFindings(r *fuzz.Report) (all []*fuzz.Finding) {
	for _, o := range r.Operations {
		all = append(all, o.Findings...)
	}
	return all
}

// fuzzRerun is the one command that tries a pair again.
func fuzzRerun(rerun []string, f *fuzz.Finding, seed uint64) string {
	args := slices.Clone(rerun)
	args = append(args, "--operation", f.Operation, "--rewrite", f.Rewrite)
	if f.Case != "" {
		args = append(args, "--corpus", filepath.Dir(f.Case))
	}
	args = append(args, "--cases", "1", "--seed", fmt.Sprint(seed))
	return commandLine(args)
}

// some are the first words of a list, and how many more there are.
func some(list []string) string {
	const most = 6
	if more := len(list) - most; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), more)
	}
	return strings.Join(list, ", ")
}

// mostShown bounds the pairs that a terminal gets whole.
const mostShown = 3

// FuzzTable writes what a person at a terminal wants: what was tried, what the wrong rows have in common, the smallest pairs, the
// result in the last line.
func FuzzTable(w io.Writer, r *fuzz.Report, rerun []string, dir string, colour bool) error {
	paint := painter(colour)
	var b strings.Builder
	for _, o := range r.Operations {
		fmt.Fprintf(&b, "%s: %s, %s, %s\n", o.Name, plural(o.Pairs, "pair"), plural(o.Requests, "request"), plural(len(o.Findings), "finding"))
		if o.Premise != "" {
			fmt.Fprintf(&b, "  %s\n", paint("33", display.Line(o.Premise)))
		}
		for _, s := range o.Strategies {
			fmt.Fprintf(&b, "  %s %s\n    foretold: %s\n", paint("1", "looks like"), display.Line(s.String()), some(s.Evidence))
		}
		for _, c := range o.Corpus {
			if c.Verdict != verdict.Fail {
				fmt.Fprintf(&b, "  case %s: %s, %s\n", c.File, c.Verdict, display.Line(c.Detail))
			}
		}
		for _, n := range o.Narrowed {
			fmt.Fprintf(&b, "  left alone: %s at %s, which the target refuses with %s\n", display.Line(narrowed(n)), n.At, n.Says)
		}
		if len(o.Undeclared) > 0 {
			fmt.Fprintf(&b, "  tried on the sample alone, since the contract does not decide them: %s\n", strings.Join(o.Undeclared, ", "))
		}
		if o.Stopped != "" {
			fmt.Fprintf(&b, "  ended: %s\n", display.Line(o.Stopped))
		}
		for i, f := range o.Findings {
			if i == mostShown {
				break
			}
			b.WriteByte('\n')
			b.WriteString(fuzzPair(f, r.Seed, rerun, paint))
		}
		if more := len(o.Findings) - mostShown; more > 0 {
			var ids []string
			for _, f := range o.Findings[mostShown:] {
				ids = append(ids, f.Rewrite)
			}
			fmt.Fprintf(&b, "\n%d more: %s\n", more, strings.Join(ids, ", "))
		}
	}
	if dir != "" {
		fmt.Fprintf(&b, "\nreport: %s  (seed %d, %.1f s)\n", filepath.Join(dir, fuzzMarkdown), r.Seed, float64(r.DurationMS)/1000)
	}
	code := map[Result]string{Conformant: "1;32", NotConformant: "1;31", Broken: "1;31"}[Result(r.Result)]
	if code == "" {
		code = "1;33"
	}
	fmt.Fprintf(&b, "%s\n", paint(code, display.Line(fuzzSentence(r))))
	_, err := io.WriteString(w, b.String())
	return err
}

func fuzzSentence(r *fuzz.Report) string {
	name := r.Target
	if name == "" {
		name = r.URL
	}
	pairs, wrong, warned := 0, 0, 0
	for _, o := range r.Operations {
		pairs += o.Pairs
		for _, f := range o.Findings {
			if f.Warning {
				warned++
			} else {
				wrong++
			}
		}
	}
	tried := plural(pairs, "pair") + " tried"
	if warned > 0 {
		tried += ", " + plural(warned, "warning")
	}
	switch Result(r.Result) {
	case Conformant:
		return fmt.Sprintf("%s confuses no pair that was tried (%s)", name, tried)
	case NotConformant:
		return fmt.Sprintf("%s confuses requests: %s (%s)", name, plural(wrong, "rewrite"), tried)
	case Undecided:
		return fmt.Sprintf("inconclusive for %s (%s)", name, tried)
	case Environment:
		if wrong > 0 {
			return fmt.Sprintf("the search against %s is incomplete: %s%s (%s)", name, r.Problem, provenBefore(wrong, "confused rewrite"), tried)
		}
		return fmt.Sprintf("nothing can be said of %s: %s", name, r.Problem)
	case Interrupted:
		return interrupted(name, plural(wrong, "rewrite"), tried, r.Problem)
	}
	return fmt.Sprintf("oncespec itself failed: %s%s", r.Problem, provenBefore(wrong, "confused rewrite"))
}

// FuzzMarkdown writes the report for a page: each pair whole.
func FuzzMarkdown(w io.Writer, r *fuzz.Report, rerun []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nProfile %s, seed %d, %s, %.1f s.\n", display.Line(fuzzSentence(r)), r.Profile, r.Seed, r.URL, float64(r.DurationMS)/1000)
	for _, o := range r.Operations {
		fmt.Fprintf(&b, "\n## %s\n\n%s, %s, %s under keys of their own.\n", o.Name, plural(o.Pairs, "pair"), plural(o.Requests, "request"), plural(o.Executions, "write"))
		if o.Premise != "" {
			fmt.Fprintf(&b, "\n%s\n", display.Line(o.Premise))
		}
		if len(o.Undeclared) > 0 {
			fmt.Fprintf(&b, "\nTried on the sample alone, not on random bodies, since the contract does not decide them: %s. Declare them under `contract.fingerprint` to have them searched.\n", strings.Join(o.Undeclared, ", "))
		}
		if o.Stopped != "" {
			fmt.Fprintf(&b, "\nEnded: %s.\n", display.Line(o.Stopped))
		}
		if len(o.Strategies) > 0 {
			b.WriteString("\nWhat the wrong rows have in common:\n\n")
			for _, s := range o.Strategies {
				fmt.Fprintf(&b, "- **%s**\n  - foretold: %s\n", display.Line(s.String()), strings.Join(s.Evidence, ", "))
			}
		}
		for _, n := range o.Narrowed {
			fmt.Fprintf(&b, "\nLeft alone: `%s` at `%s`, which the target refuses with %s.\n", display.Line(narrowed(n)), n.At, n.Says)
		}
		for _, f := range o.Findings {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n~~~text\n%s~~~\n", f.Rewrite, display.Line(f.Detail), fuzzPair(f, r.Seed, rerun, painter(false)))
		}
		if len(o.Rows) > 0 {
			b.WriteString("\n| rewrite | class | verdict | |\n|---|---|---|---|\n")
			for _, row := range o.Rows {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.ID, row.Class, row.Verdict, strings.ReplaceAll(display.Line(row.Detail), "|", `\|`))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
