package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Markdown writes a summary for pull requests and job pages: the result, the table by pack, what did not hold.
func Markdown(w io.Writer, r *Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escape(r.Sentence()))
	fmt.Fprintf(&b, "Contract `%s`, seed `%d`, %.1f s, oncespec %s.\n\n", escape(r.Contract.Profile), r.Seed, float64(r.DurationMS)/1000, escape(r.Tool.Version))
	for _, line := range r.troubles() {
		fmt.Fprintf(&b, "**%s**\n\n", escape(line))
	}
	b.WriteString("| pack | assessed | pass | fail | warn | inconclusive | not assessed | error |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, row := range byPack(r.Verdicts) {
		s := row.Summary
		fmt.Fprintf(&b, "| %s | %d of %d | %d | %d | %d | %d | %d | %d |\n", row.Pack, row.Done, row.Of, s.Pass, s.Fail, s.Warn, s.Inconclusive, s.NotAssessed, s.Error)
	}
	if played := r.played(); played != "" {
		fmt.Fprintf(&b, "\nThe schedule was %s.\n\n", played)
		for i, p := range r.Plays {
			fmt.Fprintf(&b, "%d. %s: %s\n", i+1, p.Verdict, escape(p.Detail))
		}
	}
	section := func(title string, outcomes ...verdict.Outcome) {
		first := true
		for _, v := range r.Verdicts {
			if !isOneOf(v.Verdict, outcomes) || isLeft(v) {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n## %s\n\n", title)
				first = false
			}
			req, _ := catalogue.Find(v.ID)
			fmt.Fprintf(&b, "- **%s** on %s (%s, proof %s): %s\n  %s\n  Rerun: `%s`\n", escape(v.Name()), escape(strings.Join(v.Operations, ", ")), v.Level, v.Proof, escape(v.Detail), escape(req.Sentence), r.RerunCommand(v))
		}
	}
	section("Does not hold", verdict.Fail)
	section("Warnings", verdict.Warn)
	section("Without proof", verdict.Inconclusive, verdict.Error)
	for i, u := range undone(r.Verdicts) {
		if i == 0 {
			b.WriteString("\n## Not run\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", escape(u.String()))
	}
	for i, c := range r.Complete {
		if i == 0 {
			b.WriteString("\nTo complete it:\n\n")
		}
		fmt.Fprintf(&b, "    %s\n", commandLine(slices.Clone(c)))
	}
	waiting, unused := blocked(r.Verdicts), idle(r.Verdicts)
	if len(r.Unlock)+len(waiting)+len(unused) > 0 && r.Result != Interrupted {
		b.WriteString("\n## What would let more be assessed\n\n")
		for _, w := range waiting {
			fmt.Fprintf(&b, "- mend `%s` for %d more, which build on it: %s\n", w.By, len(w.Requirements), strings.Join(w.Requirements, ", "))
		}
		for _, u := range unused {
			fmt.Fprintf(&b, "- mend %s for %d more: %s\n", escape(u.Setting), len(u.Requirements), escape(u.Why))
		}
		for _, u := range r.Unlock {
			fmt.Fprintf(&b, "- add `%s` for %d more: %s\n", u.Add, len(u.Requirements), strings.Join(u.Requirements, ", "))
		}
	}
	_, err := io.WriteString(w, display.Text(b.String()))
	return err
}

func isOneOf(o verdict.Outcome, list []verdict.Outcome) bool {
	for _, l := range list {
		if o == l {
			return true
		}
	}
	return false
}

// escape keeps a target's words from becoming markup.
func escape(s string) string {
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "|", "\\|", "<", "&lt;", "[", "\\[", "]", "\\]", "\n", " ", "\r", " ", "#", "\\#").Replace(display.Text(s))
}
