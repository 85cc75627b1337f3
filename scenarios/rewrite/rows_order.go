package rewrite

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const (
	sourceOrder = "RFC 8259, 4: an object is an unordered collection"
	sourceSpace = "RFC 8259, 2: insignificant white space"
)

// order/* writes the members of an object in another order.
var orderRows = []Rewrite{
	{
		ID: "order/top", Sentence: "The body's members stand in another order.",
		Class: Same, Part: Body, Source: sourceOrder, Needs: "JSON object with two or more members at the top",
		act: inBody{fits: func(_ *Sample, p place) bool { return reorderable(p) && len(p.at) == 0 }, edit: reorder},
	},
	{
		ID: "order/nested", Sentence: "The members of a nested object stand in another order.",
		Class: Same, Part: Body, Source: sourceOrder, Needs: "nested object with two or more members",
		act: inBody{fits: func(_ *Sample, p place) bool { return reorderable(p) && len(p.at) > 0 && !p.inArray },
			plant: `{"b":1,"a":2}`, edit: reorder},
	},
	{
		ID: "order/in-array", Sentence: "The members of an object inside an array stand in another order.",
		Class: Same, Part: Body, Source: sourceOrder, Needs: "object with two or more members inside an array",
		act: inBody{fits: func(_ *Sample, p place) bool { return reorderable(p) && p.inArray },
			plant: `[{"b":1,"a":2}]`, below: "/0", edit: reorder},
	},
	{
		ID: "order/40-keys", Sentence: "The members of an object with forty of them stand in another order.",
		Class: Same, Part: Body, Source: sourceOrder, Needs: "object with forty members, and no free-form one",
		act: inBody{fits: func(_ *Sample, p place) bool { return reorderable(p) && len(p.node.Members) >= 40 },
			plant: manyKeys(40), edit: reorder},
	},
	{
		ID: "order/integer-like", Sentence: "Members whose names look like numbers stand in another order.",
		Class: Same, Part: Body, Source: sourceOrder, Needs: "object with names like 1 and 10",
		act: inBody{fits: func(_ *Sample, p place) bool { return reorderable(p) && countNames(p.node, isDigits) >= 2 },
			plant: `{"10":1,"9":2,"1":3}`, edit: reorder},
	},
	{
		ID: "order/astral", Sentence: "Members whose names sort differently by code point and by UTF-16 unit stand in another order.",
		Class: Same, Part: Body, Source: sourceOrder, Needs: "object with such names",
		act: inBody{fits: func(_ *Sample, p place) bool {
			astral := func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r > 0xFFFF }) }
			high := func(s string) bool {
				return strings.ContainsFunc(s, func(r rune) bool { return 0xE000 <= r && r <= 0xFFFF })
			}
			return reorderable(p) && countNames(p.node, astral) > 0 && countNames(p.node, high) > 0
		}, plant: "{\"\ufb33\":1,\"\U0001f600\":2}", edit: reorder},
	},
}

func reorderable(p place) bool { return len(p.node.Members) >= 2 && !p.node.repeats() }

func countNames(n *Node, test func(string) bool) (count int) {
	for _, m := range n.Members {
		if test(m.Key()) {
			count++
		}
	}
	return count
}

func manyKeys(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%02d":%d`, i, i)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// reorder reverses the members, moves the first to the end, or exchanges the first two.
func reorder(e *edit) bool {
	rearrange(e.node.Members, e.choice)
	return true
}

func rearrange[T any](list []T, choice int) {
	switch choice % 3 {
	case 0:
		slices.Reverse(list)
	case 1:
		first := list[0]
		copy(list, list[1:])
		list[len(list)-1] = first
	case 2:
		list[0], list[1] = list[1], list[0]
	}
}

// space/* prints the same tree with other white space.
var spaceRows = []Rewrite{
	{
		ID: "space/pretty", Sentence: "The body is indented.",
		Class: Same, Part: Body, Source: sourceSpace, Needs: "JSON object or array with something in it",
		act: printed(func(n *Node) []byte { return n.print(nil, pretty, 0) }),
	},
	{
		ID: "space/after-comma", Sentence: "The body has a space after every comma and colon.",
		Class: Same, Part: Body, Source: sourceSpace, Needs: "JSON object or array with something in it",
		act: printed(func(n *Node) []byte { return n.print(nil, spaced, 0) }),
	},
	{
		ID: "space/trailing-newline", Sentence: "The body ends with a line feed.",
		Class: Same, Part: Body, Source: sourceSpace, Needs: "JSON body",
		act: printed(func(n *Node) []byte { return append(n.Append(nil), '\n') }),
	},
	{
		ID: "space/tabs-and-crlf", Sentence: "The body is indented with tabs and has carriage returns.",
		Class: Same, Part: Body, Source: sourceSpace, Needs: "JSON object or array with something in it",
		act: printed(func(n *Node) []byte { return n.print(nil, crlf, 0) }),
	},
}

// printed writes B's body in another layout.
func printed(print func(*Node) []byte) action {
	return onWire{edit: func(s *Sample, _, b *Request, _ int) bool {
		if s.root == nil {
			return false
		}
		b.Body = print(s.root)
		return !bytes.Equal(b.Body, s.request.Body)
	}}
}
