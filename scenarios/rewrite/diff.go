package rewrite

import (
	"slices"
	"strconv"
)

// DiffPointers lists where two JSON bodies differ, as JSON Pointers in document order: values that are spelled differently or
// are on one side only, and objects whose members stand in another order. It is empty where both print alike, and holds only
// the empty pointer (the whole body) where one of them is no JSON.
func DiffPointers(a, b []byte) []string {
	x, errX := Parse(a)
	y, errY := Parse(b)
	if errX != nil || errY != nil {
		return []string{""}
	}
	var out []string
	diff(nil, x, y, &out)
	return out
}

func diff(at Pointer, x, y *Node, out *[]string) {
	report := func(p Pointer) {
		if s := p.String(); !slices.Contains(*out, s) {
			*out = append(*out, s)
		}
	}
	if x.Kind != y.Kind || x.Text != y.Text || x.repeats() || y.repeats() {
		if x.String() != y.String() {
			report(at)
		}
		return
	}
	for i := range max(len(x.Items), len(y.Items)) {
		below := at.child(strconv.Itoa(i))
		if i < len(x.Items) && i < len(y.Items) {
			diff(below, x.Items[i], y.Items[i], out)
		} else {
			report(below)
		}
	}
	var common []int // places in y of the names that both have
	for _, m := range x.Members {
		below := at.child(m.Key())
		j := y.index(m.Key())
		if j < 0 {
			report(below)
			continue
		}
		common = append(common, j)
		if m.Name != y.Members[j].Name {
			report(below)
		}
		diff(below, m.Value, y.Members[j].Value, out)
	}
	for _, m := range y.Members {
		if x.index(m.Key()) < 0 {
			report(at.child(m.Key()))
		}
	}
	if !slices.IsSorted(common) {
		report(at)
	}
}
