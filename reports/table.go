package reports

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Table writes what a person at a terminal wants: the table by pack, what does not hold, what would unlock more, the result
// in the last line. dir is where the reports were written; empty: they were not.
func Table(w io.Writer, r *Report, dir string, colour bool) error {
	paint := painter(colour)
	var b strings.Builder
	if r.Problem == "" || r.Assessed.Done > 0 { // else the problem says all there is to say
		writePacks(&b, byPack(r.Verdicts))
	}
	if played := r.played(); played != "" {
		fmt.Fprintln(&b, played)
		for i, p := range r.Plays {
			fmt.Fprintf(&b, "%3d  %-12s %s\n", i+1, p.Verdict, display.Line(p.Detail))
		}
		b.WriteByte('\n')
	}
	broken := r.Verdicts
	if r.Problem != "" && len(r.Shards) == 0 { // it explains why everything else is missing
		broken = slices.DeleteFunc(slices.Clone(broken), func(v verdict.Verdict) bool { return v.Verdict != verdict.Fail && v.Verdict != verdict.Warn })
	}
	writeBroken(&b, broken, paint)
	for _, line := range r.troubles() {
		fmt.Fprintf(&b, "%s\n", paint("33", display.Line(line)))
	}
	writeUnlock(&b, r)
	if len(r.Complete) > 0 {
		b.WriteString("\nto complete it:\n")
		for _, c := range r.Complete {
			fmt.Fprintf(&b, "  %s\n", display.Line(commandLine(slices.Clone(c))))
		}
	}
	if dir != "" {
		if text := b.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "report: %s  (seed %d, %.1f s)\n", filepath.Join(dir, "report.html"), r.Seed, float64(r.DurationMS)/1000)
	}
	code := "1;33"
	switch r.Result {
	case Conformant:
		code = "1;32"
	case NotConformant, Broken:
		code = "1;31"
	}
	fmt.Fprintf(&b, "%s\n", paint(code, display.Line(r.Sentence())))
	_, err := io.WriteString(w, b.String())
	return err
}

// writePacks writes a line for each pack, and an empty one below.
func writePacks(b *strings.Builder, rows []packRow) {
	if len(rows) == 0 {
		return
	}
	t := table.New().Border(lipgloss.HiddenBorder()).Headers("pack", "assessed", "pass", "fail", "warn", "inconclusive", "error").
		StyleFunc(func(row, col int) lipgloss.Style {
			s := lipgloss.NewStyle().Padding(0, 1)
			if col > 0 {
				s = s.Align(lipgloss.Right)
			}
			return s
		})
	for _, row := range rows {
		s := row.Summary
		t.Row(row.Pack, fmt.Sprintf("%d of %d", row.Done, row.Of), number(s.Pass), number(s.Fail), number(s.Warn), number(s.Inconclusive), number(s.Error))
	}
	for _, l := range strings.Split(t.Render(), "\n") {
		if l = strings.TrimRight(l, " "); l != "" {
			b.WriteString(l + "\n")
		}
	}
	b.WriteByte('\n')
}

// writeBroken writes a line for each verdict that is neither a pass nor left out, and one for all that were left open for one reason.
func writeBroken(b *strings.Builder, vs []verdict.Verdict, paint func(code, s string) string) {
	same, more := map[string]int{}, []string{}
	for i, v := range vs {
		code := "33"
		switch v.Verdict {
		case verdict.Pass, verdict.NotAssessed:
			continue
		case verdict.Inconclusive:
			if isLeft(v) {
				continue
			}
		case verdict.Fail, verdict.Error:
			code = "1;31"
		}
		on := display.Line(strings.Join(v.Operations, ", "))
		kind := fmt.Sprintf("%s %s on %s", v.Verdict, v.ID, on)
		if same[kind]++; v.Part == "" || same[kind] <= mostParts {
			fmt.Fprintf(b, "%s %s on %s: %s\n", paint(code, string(v.Verdict)), display.Line(v.Name()), on, display.Line(v.Detail))
			continue
		}
		more = append(more, v.Part)
		if rest := vs[i+1:]; !slices.ContainsFunc(rest, func(o verdict.Verdict) bool {
			return o.Verdict == v.Verdict && o.ID == v.ID && slices.Equal(o.Operations, v.Operations) && !isLeft(o)
		}) {
			fmt.Fprintf(b, "%s %s on %s: so do %d more: %s\n", paint(code, string(v.Verdict)), v.ID, on, len(more), display.Line(strings.Join(more, ", ")))
			more = nil
		}
	}
	for _, u := range undone(vs) {
		fmt.Fprintf(b, "%s %s\n", paint("33", string(verdict.Inconclusive)), display.Line(u.String()))
	}
}

// mostParts bounds how many parts of one requirement a terminal gets whole; the others are named, and the report has them.
const mostParts = 3

// writeUnlock writes what would let more requirements be assessed: mending what they build on, then a longer configuration,
// where the run did not end for another reason.
func writeUnlock(b *strings.Builder, r *Report) {
	if r.Result == Interrupted {
		return // it is not known yet what is wanting
	}
	for _, w := range blocked(r.Verdicts) {
		fmt.Fprintf(b, "mend %s for %d more, which build on it\n", w.By, len(w.Requirements))
	}
	for _, i := range idle(r.Verdicts) {
		fmt.Fprintf(b, "mend %s for %d more: %s\n", display.Line(i.Setting), len(i.Requirements), display.Line(i.Why))
	}
	if places := unvaried(r.Verdicts); places != "" {
		fmt.Fprintf(b, "%s%s\n", catalogue.NotVaried, display.Line(places))
	}
	if r.Problem != "" || len(r.Unlock) == 0 {
		return
	}
	var single []string
	for _, u := range r.Unlock {
		if len(u.Requirements) == 1 {
			single = append(single, u.Add)
			continue
		}
		fmt.Fprintf(b, "add %s for %d more\n", display.Line(u.Add), len(u.Requirements))
	}
	switch {
	case len(single) == 1:
		fmt.Fprintf(b, "add %s for 1 more\n", display.Line(single[0]))
	case len(single) > 1:
		fmt.Fprintf(b, "add one of these for 1 more each: %s\n", display.Line(strings.Join(single, ", ")))
	}
	if setting, _, _ := strings.Cut(r.Unlock[0].Add, " "); strings.Contains(setting, ".") {
		fmt.Fprintf(b, "(what that takes: oncespec explain %s)\n", display.Line(setting))
	}
}

func painter(colour bool) func(code, s string) string {
	return func(code, s string) string {
		if !colour {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
