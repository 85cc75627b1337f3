package rewrite

import "strings"

const sourceAbsent = "JSON tells null, empty and absent apart (RFC 8259, 3 and 4); what they mean is the API's to say"

// absent/* leaves something empty out.
var absentRows = []Rewrite{
	{
		ID: "absent/null-to-empty-string", Sentence: "A null is an empty string.",
		Class: Different, Part: Body, Source: sourceAbsent, Needs: "null that may be a string, and no free-form object", Confirm: true,
		act: inBody{fits: spelt("null"), needs: changes, plant: `null`, edit: func(e *edit) bool { return e.pick(text("")) }},
	},
	leftOut("absent/zero-to-absent", "A zero is left out.", Different, "", "zero that may be absent", `0`),
	nullLeftOut,
	leftOut("absent/empty-string", "An empty string is left out.", ByContract, "", "empty string that may be absent", `""`),
	leftOut("absent/empty-array", "An empty array is left out.", ByContract, "", "empty array that may be absent", `[]`),
	leftOut("absent/empty-object", "An empty object is left out.", ByContract, "", "empty object that may be absent", `{}`),
	leftOut("absent/false", "A false is left out.", ByContract, "", "false that may be absent", `false`),
	{
		ID: "absent/default-filled", Sentence: "A member that was left out is there with its default.",
		Class: ByContract, Decides: ByDefaults, Part: Body, Source: "APIs fill in defaults before they act", Needs: "member with a default (vary: default)",
		act: withDefault{},
	},
}

func leftOut(id, sentence string, class Class, decides Parameter, needs, value string) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: class, Decides: decides, Part: Body, Source: sourceAbsent, Needs: needs + ", and no free-form object", Confirm: class == Different,
		act: inBody{fits: spelt(value), needs: changes, plant: value, edit: (*edit).drop},
	}
}

// In free-form data null and absent may differ even where a contract calls them equal: it speaks of the API's own fields.
var nullLeftOut = Rewrite{
	ID: "absent/null-to-absent", Sentence: "A null is left out.",
	Class: ByContract, Decides: ByAbsence, Part: Body, Source: sourceAbsent, Needs: "null that may be absent, and no free-form object",
	act: inBody{fits: func(s *Sample, p place) bool {
		g, ok := s.grant(p.at, s.root)
		return ok && p.node.Kind == Null && !(g.free && equalAbsence(s))
	}, needs: changes, plant: `null`, unless: equalAbsence, edit: (*edit).drop},
}

func equalAbsence(s *Sample) bool { return s.policy.Contract.Fingerprint.Absence == "equal" }

// withDefault leaves a member out of A and spells its default in B.
type withDefault struct{}

func (withDefault) candidates(s *Sample) []Site {
	var out []Site
	for _, v := range s.body {
		if v.rule.standard != nil {
			out = append(out, Site{At: v.at.String()})
		}
	}
	return out
}

func (withDefault) apply(s *Sample, site Site, _ int) (a, b Request, ok bool) {
	at, err := ParsePointer(site.At)
	if err != nil || len(at) == 0 || s.holdsUnique(at) || s.ignored(at) {
		return a, b, false
	}
	for _, v := range s.body {
		if v.rule.standard == nil || v.at.String() != site.At {
			continue
		}
		without, with := s.root.Clone(), s.root.Clone()
		parent, found := with.At(at[:len(at)-1])
		if !found || parent.Kind != Object {
			return a, b, false
		}
		name := at[len(at)-1]
		parent.set(name, v.rule.standard.Clone())
		parent, _ = without.At(at[:len(at)-1])
		if i := parent.index(name); i >= 0 {
			parent.remove(i)
		}
		a, b = s.Request(), s.Request()
		a.Body, b.Body = without.Append(nil), with.Append(nil)
		return a, b, true
	}
	return a, b, false
}

// unknown/* adds a member that no API knows.
var unknownRows = []Rewrite{
	{
		ID: "unknown/added", Sentence: "There is a member at the top that the API does not know.",
		Class: ByContract, Decides: ByUnknownFields, Part: Body, Source: "APIs ignore, refuse or keep unknown fields", Needs: "JSON object at the top",
		act: inBody{fits: func(_ *Sample, p place) bool { return len(p.at) == 0 && p.node.Kind == Object }, needs: adds, edit: func(e *edit) bool {
			e.node.set(unknownName, number("1"))
			return true
		}},
	},
	{
		ID: "unknown/changed", Sentence: "A member at the top that the API does not know has another value.",
		Class: ByContract, Decides: ByUnknownFields, Part: Body, Source: "APIs ignore, refuse or keep unknown fields", Needs: "JSON object at the top",
		act: inBody{needs: adds, plant: `1`, homes: func(*Sample) Site { return Site{At: "/" + unknownName, Planted: true} },
			edit: func(e *edit) bool { return e.become(number("2")) }},
	},
}

const unknownName = "oncespec_unknown"

const sourceNames = "RFC 8259, 4 and 8.3: names are strings, compared code unit by code unit"

// name/* changes names of members, or adds names that some languages treat specially.
var nameRows = []Rewrite{
	{
		ID: "name/case", Sentence: "A member's name begins with a capital letter.",
		Class: ByContract, Part: Body, Source: sourceNames, Needs: "member that may be absent, and no free-form object",
		act: inBody{fits: isNamed, needs: changes, plant: `{"amount":1}`, below: "/amount", edit: func(e *edit) bool {
			name := unquote(e.name())
			if !e.droppable || e.parent.index(swapFirst(name)) >= 0 {
				return false
			}
			e.parent.Members[e.index].Name = quote(swapFirst(name))
			return true
		}},
	},
	{
		ID: "name/case-twin", Sentence: "There is a second member whose name differs only in case, with another value.",
		Class: Different, Part: Body, Source: sourceNames, Needs: "member whose value may change", Confirm: true,
		act: inBody{fits: func(s *Sample, p place) bool { return isNamed(s, p) && isLeaf(p) }, needs: changes, plant: `{"amount":1}`, below: "/amount", edit: func(e *edit) bool {
			twin := otherCase(unquote(e.name()))
			value, ok := e.otherValue()
			return ok && e.parent.index(twin) < 0 && e.beside(1, quote(twin), value)
		}},
	},
	{
		ID: "name/case-twin-order", Sentence: "Two members whose names differ only in case have changed places.",
		Class: Same, Part: Body, Source: sourceOrder, Needs: "free-form object",
		act: inBody{plant: `{"amount":1,"AMOUNT":2}`, freeOnly: true, edit: reorder},
	},
	{
		ID: "name/proto-added", Sentence: "A free-form object has a member named __proto__.",
		Class: Different, Part: Body, Source: sourceNames, Needs: "free-form object", Confirm: true,
		act: inBody{needs: changes, plant: `{"a":1}`, freeOnly: true, edit: func(e *edit) bool {
			e.node.set("__proto__", &Node{Kind: Object, Members: []Member{{`"b"`, number("1")}}})
			return true
		}},
	},
	{
		ID: "name/proto-changed", Sentence: "The member named __proto__ of a free-form object has another value.",
		Class: Different, Part: Body, Source: sourceNames, Needs: "free-form object", Confirm: true,
		act: inBody{needs: changes, plant: `{"a":1,"__proto__":{"b":1}}`, below: "/__proto__/b", freeOnly: true, edit: nudge},
	},
}

func isNamed(_ *Sample, p place) bool {
	return isMember(p) && hasLetter(p.parent.Members[p.index].Key())
}

// swapFirst changes the case of the first letter: amount becomes Amount.
func swapFirst(name string) string {
	at := strings.IndexFunc(name, func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' })
	return name[:at] + string(name[at]^0x20) + name[at+1:]
}

// otherCase writes a name in capitals, or in small letters where it is in capitals already.
func otherCase(name string) string {
	if upper := strings.ToUpper(name); upper != name {
		return upper
	}
	return strings.ToLower(name)
}

// otherValue is the chosen allowed value next to the place's own.
func (e *edit) otherValue() (*Node, bool) {
	probe := *e
	probe.node = e.node.Clone()
	if !probe.pick(neighbours(e.rule, e.node)...) {
		return nil, false
	}
	return probe.node, true
}
