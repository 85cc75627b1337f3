package rewrite

import "strings"

const (
	sourceMeaning = "draft-ietf-httpapi-idempotency-key-header-07, 2.2: a key must not be reused with a different payload"
	sourceJSON    = "RFC 8259"
	sourcePatch   = "RFC 8259, 3: values of different kinds are different values"
)

// A changed value is another operation, wherever it stands. Fingerprints miss the ones below the top level most often.
var leafRows = []Rewrite{
	{
		ID: "nested/leaf", Sentence: "A value inside a nested object differs.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "value inside a nested object that may change",
		each: true,
		act: inBody{fits: func(_ *Sample, p place) bool { return isLeaf(p) && len(p.at) >= 2 && !p.inArray }, needs: changes,
			plant: `{"a":1}`, below: "/a", edit: nudge},
	},
	{
		ID: "nested/array-item", Sentence: "A value inside an item of an array differs.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "value inside an array that may change",
		each: true,
		act: inBody{fits: func(_ *Sample, p place) bool { return isLeaf(p) && p.inArray }, needs: changes,
			plant: `[{"a":1}]`, below: "/0/a", edit: nudge},
	},
	{
		ID: "nested/map", Sentence: "A value of a free-form map differs.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "free-form object",
		act: inBody{fits: func(s *Sample, p place) bool {
			g, ok := s.grant(p.at, s.root)
			return ok && g.free && isLeaf(p) && isMember(p)
		}, needs: changes, plant: `"a"`, freeOnly: true, edit: nudge},
	},
	{
		ID: "nested/depth-4", Sentence: "A value four levels down differs.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "value four levels down that may change",
		act: inBody{fits: func(_ *Sample, p place) bool { return isLeaf(p) && len(p.at) >= 4 }, needs: changes,
			plant: `{"a":{"b":{"c":1}}}`, below: "/a/b/c", edit: nudge},
	},
	{
		ID: "nested/new-key", Sentence: "A free-form object has one more member.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "free-form object",
		act: inBody{fits: func(s *Sample, p place) bool {
			g, ok := s.grant(p.at, s.root)
			return ok && !g.guess && p.node.Kind == Object && p.node.index("role") < 0
		}, needs: changes, plant: `{"id":1}`, freeOnly: true, edit: func(e *edit) bool {
			var larger []*Node
			for _, value := range []*Node{text("admin"), number("1"), boolean(true)} {
				with := e.node.Clone()
				with.set("role", value)
				larger = append(larger, with)
			}
			return e.pick(larger...)
		}},
	},
	{
		ID: "leaf/amount", Sentence: "A number is one unit of its last place more or less.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "number that may change",
		each: true,
		act:  inBody{fits: is(Number), needs: changes, plant: `1999`, edit: nudge},
	},
	{
		ID: "leaf/enum", Sentence: "A value is another of the allowed ones.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "value with a list of allowed ones (vary: enum)",
		each: true,
		act: inBody{fits: func(s *Sample, p place) bool {
			g, ok := s.grant(p.at, s.root)
			return ok && len(g.rule.enum) > 1
		}, needs: changes, edit: nudge},
	},
	{
		ID: "leaf/text", Sentence: "A string differs in one letter or digit.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "string that may change",
		each: true,
		act:  inBody{fits: is(String), needs: changes, plant: `"a"`, edit: nudge},
	},
	{
		ID: "leaf/case", Sentence: "A string differs in the case of its letters.",
		Class: Different, Part: Body, Source: "RFC 8259, 8.3: strings are compared code unit by code unit", Needs: "string with letters that may change", Confirm: true,
		act: inBody{fits: isText(hasLetter), needs: changes, plant: `"EUR"`, edit: func(e *edit) bool {
			now := unquote(e.node.Text)
			return e.pick(text(strings.ToLower(now)), text(strings.ToUpper(now)))
		}},
	},
	{
		ID: "leaf/bool", Sentence: "A truth value is the other one.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "truth value that may change",
		each: true,
		act:  inBody{fits: is(Bool), needs: changes, plant: `true`, edit: nudge},
	},
}

// nudge changes a value to another one close to it.
func nudge(e *edit) bool { return e.pick(neighbours(e.rule, e.node)...) }

// swap/* keeps every value and changes which one stands where.
var swapRows = []Rewrite{
	{
		ID: "swap/values", Sentence: "Two values of the same type have changed places.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "two different values of one type that may change",
		act: inBody{fits: func(_ *Sample, p place) bool { return isLeaf(p) }, needs: changes, plant: `{"a":1,"b":2}`, below: "/a", freeOnly: true, edit: swapValues},
	},
	{
		ID: "swap/field-moved", Sentence: "A member stands in another object.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "free-form object",
		act: inBody{needs: changes, plant: `{"a":{"x":1},"b":{}}`, freeOnly: true, edit: func(e *edit) bool {
			from, to := e.node.child(0), e.node.child(1)
			to.Members, from.Members = from.Members, nil
			return true
		}},
	},
}

// swapValues exchanges the place's value with that of a later place where both are allowed.
func swapValues(e *edit) bool {
	if e.s.inSet(e.at) {
		return false // within a set the exchange could mean nothing
	}
	var partners []*Node
	passed := false
	e.root.walk(func(p place) {
		if p.node == e.node {
			passed = true
			return
		}
		if !passed || !isLeaf(p) || typeOf(p.node) != typeOf(e.node) || p.node.same(e.node) || e.s.inSet(p.at) {
			return
		}
		g, ok := e.s.grant(p.at, e.root)
		if ok && g.rule.admits(e.node) && e.rule.admits(p.node) {
			partners = append(partners, p.node)
		}
	})
	if len(partners) == 0 {
		return false
	}
	other := partners[e.choice%len(partners)]
	*other, *e.node = *e.node, *other
	return true
}
