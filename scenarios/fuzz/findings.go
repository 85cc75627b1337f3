package fuzz

import (
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// differences compares the bodies as they were recorded.
func differences(h *history.History) []Difference {
	out := []Difference{}
	a, b := h.First("first"), h.First("rewritten")
	if a == nil || b == nil {
		return out
	}
	x, y := a.Request.Body.Text, b.Request.Body.Text
	if x == y {
		return out
	}
	rootX, errX := rewrite.Parse([]byte(x))
	rootY, errY := rewrite.Parse([]byte(y))
	for _, pointer := range rewrite.DiffPointers([]byte(x), []byte(y)) {
		d := Difference{At: pointer}
		at, _ := rewrite.ParsePointer(pointer)
		if errX == nil && errY == nil {
			if n, ok := rootX.At(at); ok {
				d.A = n.String()
			}
			if n, ok := rootY.At(at); ok {
				d.B = n.String()
			}
		}
		out = append(out, d)
	}
	return out
}

// conclude sums up the rows, and what the wrong ones have in common.
func (h *hunter) conclude() {
	o := h.report
	for _, r := range h.rows {
		i := slices.IndexFunc(o.Rows, func(row Row) bool { return row.ID == r.ID })
		f := o.finding(r.ID)
		switch {
		case f != nil:
			row := Row{ID: r.ID, Class: f.Class, Verdict: verdict.Fail, Detail: f.Detail}
			if f.Warning {
				row.Verdict = verdict.Warn
			}
			if i >= 0 {
				o.Rows[i] = row
			} else {
				o.Rows = append(o.Rows, row)
			}
		case i < 0 && h.sample != nil && o.Premise == "" && !h.o.noSweep:
			_, why := r.Applies(h.sample)
			if why == "" && h.cut {
				why = tooLate
			} else if why == "" {
				why = "it was not tried"
			}
			o.Rows = append(o.Rows, Row{ID: r.ID, Class: r.ClassUnder(h.o.Config.Contract), Verdict: verdict.NotAssessed, Detail: why})
		}
	}
	if o.Stopped == "" {
		o.Stopped = h.unfinished()
	}
	order := map[string]int{}
	for i, r := range h.rows {
		order[r.ID] = i
	}
	slices.SortFunc(o.Rows, func(a, b Row) int { return order[a.ID] - order[b.ID] })
	slices.SortStableFunc(o.Findings, func(a, b *Finding) int { return strings.Compare(level(a), level(b)) })
	o.Strategies = diagnose(h.observed)
}

func level(f *Finding) string {
	if f.Warning {
		return "1"
	}
	return "0"
}
