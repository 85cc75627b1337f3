package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/history"
)

// mark is one row of a timeline: an attempt is a bar, everything else a moment. Left and Width are percent.
type mark struct {
	Left, Width float64
	Class       string // answered, lost, unsent, fault, observation, status, burst, note
	Label       string
	Text        string
	At          string // milliseconds since the history's first event
	Later       bool   // long after the rest: it stands at the end, out of scale
	Attempt     *exchange

	began int64
}

// exchange is an attempt as the page shows it.
type exchange struct {
	Title, Request, Answer, Link, Curl string
}

// timeline lays a history out in time.
func timeline(h *history.History) []mark {
	start, end := span(h)
	scale := func(at int64) float64 { return min(100*float64(at-start)/float64(max(end-start, 1)), 99.4) }
	var marks []mark
	for _, e := range h.Events {
		m := mark{Left: scale(e.At), began: e.At, At: fmt.Sprintf("%.1f ms", float64(e.At-start)/1000)}
		switch {
		case e.Attempt != nil:
			a := e.Attempt
			m.began = a.Began
			m.Left, m.Width = scale(a.Began), max(scale(a.Ended)-scale(a.Began), 0.4)
			m.At = fmt.Sprintf("%.1f ms", float64(a.Began-start)/1000)
			m.Class, m.Label, m.Text = a.Outcome, a.Label, a.Request.Method+" "+path(a.Request.URL)+" → "+outcome(a)+faulted(a)
			if a.Variant != "" {
				m.Label += " (" + a.Variant + ")"
			}
			m.Attempt = show(a)
		case e.Observation != nil:
			o := e.Observation
			m.Class, m.Label, m.Later = "observation", o.Moment, o.Moment == final
			m.Text = fmt.Sprintf("%s: %s", o.Probe, plural(o.Count, "effect"))
			if o.Value != "" {
				m.Text += ", reads " + o.Value
			}
			if len(o.IDs) > 0 {
				m.Text += " (" + strings.Join(o.IDs[:min(4, len(o.IDs))], ", ") + ")"
			}
			if o.Error != "" {
				m.Text = o.Probe + ": " + o.Error
			}
			if o.Intent != "" {
				m.Label += " " + o.Intent
			}
		case e.Fault != nil:
			f := e.Fault
			m.Class, m.Label, m.Text = "fault", f.Kind, strings.Join(slices.DeleteFunc(append([]string{f.Phase, f.Detail}, f.Evidence...), func(s string) bool { return s == "" }), "; ")
			if !f.Landed {
				m.Text += " (not seen to land)"
			}
		case e.Status != nil:
			m.Later = e.Status.Moment == final
			m.Class, m.Label, m.Text = "status", "status "+e.Status.Moment, fmt.Sprintf("%d %s", e.Status.HTTP, e.Status.State)
		case e.Burst != nil:
			b := e.Burst
			m.Class, m.Label = "burst", b.Label
			m.Text = fmt.Sprintf("%d attempts by %s, %d in flight together, %d overlapped", len(b.Attempts), b.Rung, b.Together, b.Overlapped)
			if b.Delivered > 0 {
				m.Text += fmt.Sprintf("; the target had %d whole when it was let go", b.Delivered)
			}
			if b.AtStore > 0 {
				m.Text += fmt.Sprintf("; %d waited for its database together", b.AtStore)
			}
		default:
			m.Class, m.Label = "note", e.Note
		}
		marks = append(marks, m)
	}
	// Attempts are recorded when they end; people read from when they began.
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.began, b.began) })
	return marks
}

// final is the moment of the last count.
const final = "final"

// mostFaults bounds the lines that are drawn through a timeline.
const mostFaults = 6

// faultsOf are when faults struck; none where there are too many to see by.
func faultsOf(marks []mark) (at []float64) {
	for _, m := range marks {
		if m.Class == "fault" && !slices.Contains(at, m.Left) {
			at = append(at, m.Left)
		}
	}
	if len(at) > mostFaults {
		return nil
	}
	return at
}

func span(h *history.History) (start, end int64) {
	first := true
	widen := func(at int64) {
		if first || at < start {
			start = at
		}
		if first || at > end {
			end = at
		}
		first = false
	}
	for _, e := range h.Events {
		if o, s := e.Observation, e.Status; o != nil && o.Moment == final || s != nil && s.Moment == final {
			continue // long after the rest: it would squeeze everything to the left
		}
		widen(e.At)
		if e.Attempt != nil {
			widen(e.Attempt.Began)
			widen(e.Attempt.Ended)
		}
	}
	return start, end
}

func show(a *history.Attempt) *exchange {
	x := &exchange{Title: fmt.Sprintf("#%d %s: %s", a.ID, a.Label, outcome(a)), Curl: Curl(a)}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", a.Request.Method, path(a.Request.URL))
	for _, h := range a.Request.Header {
		fmt.Fprintf(&b, "%s: %s\n", h[0], h[1])
	}
	b.WriteString("\n" + bodyText(a.Request.Body))
	x.Request = display.Text(b.String())
	if a.Answer != nil {
		b.Reset()
		fmt.Fprintf(&b, "%d\n", a.Answer.Status)
		for _, name := range sortedKeys(a.Answer.Header) {
			for _, v := range a.Answer.Header[name] {
				fmt.Fprintf(&b, "%s: %s\n", name, v)
			}
		}
		b.WriteString("\n" + bodyText(a.Answer.Body))
		x.Answer = display.Text(b.String())
	}
	l := a.Link
	x.Link = fmt.Sprintf("%d request bytes reached the target%s; the target answered %d bytes, %d were let through", l.RequestBytes,
		map[bool]string{true: " (whole)", false: " (not whole)"}[l.RequestWhole], l.ResponseBytes, l.ForwardedBytes)
	return x
}

func bodyText(b history.Body) string {
	const most = 4000
	text := b.Text
	if b.Base64 != "" {
		text = "base64 " + b.Base64
	}
	if len(text) > most || b.Truncated {
		return strings.ToValidUTF8(text[:min(most, len(text))], "") + fmt.Sprintf("\n… %d bytes in all, sha256 %s", b.Length, b.SHA256)
	}
	return text
}

func sortedKeys(m map[string][]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
