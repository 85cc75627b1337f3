package reports

import (
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/fuzz"
	"github.com/oncespec/oncespec/scenarios/history"
)

// fuzzPair writes one pair: what is wrong, both requests side by side, where they differ, what was answered.
func fuzzPair(f *fuzz.Finding, seed uint64, rerun []string, paint func(code, s string) string) string {
	var b strings.Builder
	kind := string(f.Kind)
	code := "1;31"
	if f.Warning {
		kind, code = "warning, "+kind, "33"
	}
	fmt.Fprintf(&b, "%s %s (%s): %s\n", paint(code, kind), f.Rewrite, f.Class, f.Sentence)
	a, second, again, control, plain := f.Attempts()
	b.WriteString(sideBySide(wireText(a), wireText(second)))
	for _, d := range f.Diff {
		at := d.At
		if at == "" {
			at = "the body"
		}
		fmt.Fprintf(&b, "  differs at %s: %s → %s\n", display.Line(at), side(d.A), side(d.B))
	}
	for _, said := range []struct {
		what string
		a    *history.Attempt
	}{{"A", a}, {"B under A's key", second}, {"A again", again}, {"B under a key of its own", control}, {"A under another key", plain}} {
		if said.a != nil {
			fmt.Fprintf(&b, "  %-25s %s%s\n", said.what, display.Line(outcome(said.a)), answerHead(said.a))
		}
	}
	if a != nil {
		for _, o := range f.History.Observations(a.Intent) {
			if o.Moment != "before" && o.Error == "" {
				fmt.Fprintf(&b, "  %-25s %s by %s\n", "effects of A's key", plural(o.Count, "effect"), o.Probe)
			}
		}
	}
	fmt.Fprintf(&b, "  found in the %s, %s sent until then\n", f.From, plural(f.Requests, "request"))
	if f.Case != "" {
		fmt.Fprintf(&b, "  kept as %s\n", f.Case)
	}
	fmt.Fprintf(&b, "  again: %s\n", fuzzRerun(rerun, f, seed))
	return b.String()
}

func answerHead(a *history.Attempt) string {
	if a.Answer == nil || a.Answer.Body.Text == "" {
		return ""
	}
	return "  " + display.Line(short(a.Answer.Body.Text))
}

func side(value string) string {
	if value == "" {
		return "(absent)"
	}
	return display.Line(short(value))
}

// shortLength is how much of a value a line shows.
const shortLength = 100

func short(s string) string {
	if r := []rune(s); len(r) > shortLength {
		return string(r[:shortLength]) + "…"
	}
	return s
}

// wireText is what of a request people compare: its first line, its headers, its body.
func wireText(a *history.Attempt) (lines []string) {
	if a == nil {
		return nil
	}
	lines = append(lines, a.Request.Method+" "+path(a.Request.URL))
	for _, h := range a.Request.Header {
		lines = append(lines, h[0]+": "+h[1])
	}
	lines = append(lines, "")
	body := a.Request.Body
	if body.Base64 != "" {
		return append(lines, "base64: "+body.Base64)
	}
	return append(lines, strings.Split(body.Text, "\n")...)
}

// half is the width of one request where two stand side by side.
const half = 56

// sideBySide sets two texts beside one another; lines that differ are marked.
func sideBySide(a, b []string) string {
	left, right := folded(a), folded(b)
	var out strings.Builder
	for i := range max(len(left), len(right)) {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		mark := " "
		if l != r {
			mark = "≠"
		}
		line := fmt.Sprintf("  %s%s %s %s", l, strings.Repeat(" ", max(0, half-len([]rune(l)))), mark, r)
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// folded cuts lines to the width. White space at the end and what cannot be seen is written as an escape: two requests may
// differ in nothing else.
func folded(lines []string) (out []string) {
	for _, l := range lines {
		r := []rune(visible(l))
		for len(r) > half {
			out = append(out, string(r[:half]))
			r = r[half:]
		}
		out = append(out, string(r))
	}
	return out
}

func visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == ' ' && i == len(s)-1:
			b.WriteString("␠")
		case r < ' ' || r == 0x7f || r == 0xa0 || r == 0x200b || r == 0x2028 || r == 0x2029 || r == 0xfeff || 0x300 <= r && r <= 0x36f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return display.Text(b.String())
}
