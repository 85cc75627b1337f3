package rewrite

import "slices"

// type/* writes a value as one of another type that tolerant APIs read alike.
var typeRows = []Rewrite{
	retyped("type/number-to-string", "A number is written as a string.", `1`, Number, func(n *Node) *Node { return text(n.Text) }),
	retyped("type/bool-to-string", "A truth value is written as a string.", `true`, Bool, func(n *Node) *Node { return text(n.Text) }),
	retyped("type/bool-to-number", "A truth value is written as 1 or 0.", `true`, Bool, func(n *Node) *Node {
		return number(map[string]string{"true": "1", "false": "0"}[n.Text])
	}),
	retyped("type/scalar-to-array", "A value stands alone in an array.", `"a"`, String, func(n *Node) *Node { return &Node{Kind: Array, Items: []*Node{n}} }),
	retyped("type/object-to-string", "An object is written as a string that holds its JSON.", `{"a":1}`, Object, func(n *Node) *Node { return text(n.String()) }),
}

func retyped(id, sentence, plant string, kind Kind, change func(*Node) *Node) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: Different, Part: Body, Source: sourcePatch, Needs: kind.String() + " that may change its type, and no free-form object", Confirm: true,
		act: inBody{fits: is(kind), needs: changes, plant: plant, edit: func(e *edit) bool { return e.become(change(e.node.Clone())) }},
	}
}

const sourceArray = "RFC 8259, 5: an array is an ordered sequence"

// array/* changes order and number of an array's items.
var arrayRows = []Rewrite{
	{
		ID: "array/reordered", Sentence: "The items of an array stand in another order.",
		Class: Different, Part: Body, Source: sourceArray, Needs: "array with two different items that may change",
		act: inBody{fits: func(s *Sample, p place) bool { return p.node.Kind == Array && !s.inSet(p.at) }, needs: changes, plant: `[1,2]`, edit: reorderItems},
	},
	{
		ID: "array/item-repeated", Sentence: "An array has its last item twice.",
		Class: Different, Part: Body, Source: sourceArray, Needs: "array with an item that may change",
		act: inBody{fits: func(s *Sample, p place) bool { return len(p.node.Items) > 0 && !s.inSet(p.at) }, needs: changes, plant: `[1]`, edit: func(e *edit) bool {
			items := e.node.Clone().Items
			return e.become(&Node{Kind: Array, Items: append(items, items[len(items)-1].Clone())})
		}},
	},
	{
		ID: "array/item-dropped", Sentence: "An array lacks one of its items.",
		Class: Different, Part: Body, Source: sourceArray, Needs: "array with two items that may change",
		act: inBody{fits: func(_ *Sample, p place) bool { return len(p.node.Items) > 1 }, needs: changes, plant: `[1,2]`, edit: func(e *edit) bool {
			shorter := e.node.Clone()
			last := len(shorter.Items) - 1
			shorter.remove(last - e.choice%(last+1))
			return e.become(shorter)
		}},
	},
	{
		ID: "array/declared-set", Sentence: "The items of an array that is declared a set stand in another order.",
		Class: ByContract, Decides: BySets, Part: Body, Source: "the contract (fingerprint.sets)", Needs: "array that the contract declares a set, with two different items",
		act: inBody{fits: func(s *Sample, p place) bool {
			isSet := slices.ContainsFunc(s.sets, func(at Pointer) bool { return p.at.within(at) && at.within(p.at) })
			return isSet && p.node.Kind == Array && !s.holdsUnique(p.at)
		}, edit: reorderItems},
	},
}

func reorderItems(e *edit) bool {
	for choice := e.choice; choice < e.choice+3; choice++ {
		other := e.node.Clone()
		if len(other.Items) < 2 {
			return false
		}
		rearrange(other.Items, choice)
		if !other.same(e.node) {
			return e.become(other)
		}
	}
	return false
}

const sourceTwice = "RFC 8259, 4: names should be unique; what a reader makes of others is unpredictable"

// duplicate/* writes one member twice.
var duplicateRows = []Rewrite{
	{
		ID: "duplicate/last", Sentence: "A member is followed by one of the same name with another value.",
		Class: Different, Part: Body, Source: sourceTwice, Needs: "member whose value may change", Confirm: true,
		act: twice(1, (*edit).otherValue),
	},
	{
		ID: "duplicate/object-merge", Sentence: "An object is followed by one of the same name with another member.",
		Class: Different, Part: Body, Source: sourceTwice, Needs: "free-form object", Confirm: true,
		act: inBody{needs: changes, plant: `{"a":{"x":1}}`, below: "/a", freeOnly: true, edit: func(e *edit) bool {
			return e.beside(1, e.name(), &Node{Kind: Object, Members: []Member{{`"y"`, number("2")}}})
		}},
	},
	{
		ID: "duplicate/first", Sentence: "A member follows one of the same name with another value.",
		Class: ByContract, Part: Body, Source: sourceTwice, Needs: "member whose value may change",
		act: twice(0, (*edit).otherValue),
	},
	{
		ID: "duplicate/equal", Sentence: "A member is there twice.",
		Class: ByContract, Part: Body, Source: sourceTwice, Needs: "member whose value may change",
		act: twice(1, func(e *edit) (*Node, bool) { return e.node.Clone(), true }),
	},
}

func twice(offset int, value func(*edit) (*Node, bool)) action {
	return inBody{fits: func(_ *Sample, p place) bool { return isMember(p) && isLeaf(p) }, needs: changes, plant: `{"a":1}`, below: "/a", edit: func(e *edit) bool {
		other, ok := value(e)
		return ok && e.beside(offset, e.name(), other)
	}}
}
