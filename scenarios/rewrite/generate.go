package rewrite

import (
	"slices"
	"strings"
	"sync"

	"pgregory.net/rapid"
)

// Usable keeps the rewrites that can act on a sample.
func Usable(s *Sample, rewrites []Rewrite) []Rewrite {
	return slices.DeleteFunc(slices.Clone(rewrites), func(r Rewrite) bool { return len(r.Sites(s)) == 0 })
}

// generate draws changes that make another valid request out of a sample. Where the owner said nothing of what may vary, at
// most one place changes, so that one refused guess spoils few requests.
//
// Values come from small sets with neighbours in them (2^53 and 2^53+1, one letter composed and decomposed, a and A):
// independent random values hardly ever collide where a bad fingerprint does.
func generate(t *rapid.T, s *Sample) []Change {
	if s.policy.Bodies != nil {
		out := s.policy.Bodies(t, s)
		for _, slot := range s.pairSlots(false) {
			if value := slot.draw(t); value != "" {
				out = append(out, Change{At: slot.at, Value: value})
			}
		}
		return out
	}
	slots := s.slots()
	if len(s.policy.Vary) == 0 && len(slots) > 0 {
		slots = slots[rapid.IntRange(0, len(slots)-1).Draw(t, "place"):][:1]
	}
	var out []Change
	for _, slot := range slots {
		if value := slot.draw(t); value != "" {
			out = append(out, Change{At: slot.at, Value: value})
		}
	}
	return out
}

// slot is one place that a generator fills.
type slot struct {
	at   string
	draw func(t *rapid.T) string // empty: leave the place as it is
}

// slots lists what may vary: leaves, free-form objects and query parameters, in a fixed order.
func (s *Sample) slots() []slot {
	s.drawn.once.Do(func() { s.drawn.slots = s.findSlots() })
	return s.drawn.slots
}

// drawn is what may vary in a sample, found when it is first drawn from.
type drawn struct {
	once  sync.Once
	slots []slot
}

func (s *Sample) findSlots() []slot {
	var out []slot
	if s.root != nil {
		s.root.walk(func(p place) {
			if g, ok := s.grant(p.at, s.root); ok && isLeaf(p) {
				if values := domain(g, p.node); len(values) > 1 {
					out = append(out, oneOf(p.at.String(), values))
				}
			}
		})
	}
	for _, v := range s.body {
		node, found := s.root.At(v.at)
		if v.rule.freeForm() && !s.fixedAt(v.at) && !s.ignored(v.at) && (found && node.Kind == Object || !found && v.rule.kind == TypeObject) {
			for _, name := range []string{"a", "b"} {
				out = append(out, member(v.at.child(name), v.rule.values))
			}
		}
	}
	out = append(out, s.pairSlots(false)...)
	if s.request.isForm() {
		out = append(out, s.pairSlots(true)...)
	}
	return append(out, s.partSlots()...)
}

// pairSlots are the parameters of the query, or the fields of the form, that may vary.
func (s *Sample) pairSlots(form bool) (out []slot) {
	for _, p := range splitQuery(s.request.pairsOf(form)) {
		rule, _, ok := s.grantPair(form, p.key())
		if ok && p.equals {
			q := queryEdit{params: []param{p}, rule: rule}
			out = append(out, oneOf(pairAt(form, p.key()), append([]string{""}, q.otherTexts()...)))
		}
	}
	return out
}

func oneOf(at string, values []string) slot {
	return slot{at, func(t *rapid.T) string { return rapid.SampledFrom(values).Draw(t, at) }}
}

// domain lists values for a leaf. The first is empty: the sample's own. Where the owner only let us guess, values stay close
// to the sample's.
func domain(g grant, now *Node) []string {
	out := []string{""}
	add := func(n *Node) {
		if literal := n.String(); g.rule.admits(n) && literal != now.Text && !slices.Contains(out, literal) {
			out = append(out, literal)
		}
	}
	for _, n := range neighbours(g.rule, now) {
		add(n)
	}
	if g.guess {
		return out
	}
	for _, n := range alphabet(g.rule.kind) {
		add(n)
	}
	return out
}

// The alphabets: few values, close to one another in some reading.
var (
	integers = []string{"1", "0", "2", "10", "100", "9007199254740992", "9007199254740993"}
	decimals = []string{"0.1", "0.10", "0.10000000000000001", "1.0", "1e2", "-0", "1.5"}
	texts    = []string{"a", "b", "A", "ab", "a b", "", "1", "true", "\u00e9", "e\u0301", "a/b", "<b>", "\U0001f600"}
	names    = []string{"a", "b", "A", "10", "9", "\u00e9", "__proto__"}
)

func alphabet(kind string) (out []*Node) {
	if kind == TypeInteger || kind == TypeNumber || kind == TypeAny {
		for _, literal := range integers {
			out = append(out, number(literal))
		}
	}
	if kind == TypeNumber || kind == TypeAny {
		for _, literal := range decimals {
			out = append(out, number(literal))
		}
	}
	if kind == TypeString || kind == TypeAny {
		for _, s := range texts {
			out = append(out, text(s))
		}
	}
	if kind == TypeBoolean || kind == TypeAny {
		out = append(out, boolean(true), boolean(false))
	}
	if kind == TypeAny {
		out = append(out, &Node{Kind: Null, Text: "null"})
	}
	return out
}

// member fills a member of a free-form object, or leaves it out.
func member(at Pointer, values *rule) slot {
	pointer := at.String()
	if values != nil {
		return oneOf(pointer, domain(grant{rule: values}, &Node{}))
	}
	return slot{pointer, func(t *rapid.T) string {
		if !rapid.Bool().Draw(t, pointer) {
			return ""
		}
		var out strings.Builder
		drawJSON(t, &out, 3)
		return out.String()
	}}
}

// drawJSON writes a small random value, plain ones first so that shrinking ends at them.
func drawJSON(t *rapid.T, out *strings.Builder, depth int) {
	shape := 0
	if depth > 0 {
		shape = rapid.IntRange(0, 2).Draw(t, "shape")
	}
	size := 0
	if shape > 0 {
		size = rapid.IntRange(0, 3).Draw(t, "size")
	}
	switch shape {
	case 1:
		out.WriteByte('{')
		for i, name := range rapid.Permutation(names).Draw(t, "names")[:size] {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(quote(name) + ":")
			drawJSON(t, out, depth-1)
		}
		out.WriteByte('}')
	case 2:
		out.WriteByte('[')
		for i := range size {
			if i > 0 {
				out.WriteByte(',')
			}
			drawJSON(t, out, depth-1)
		}
		out.WriteByte(']')
	default:
		out.WriteString(rapid.SampledFrom(alphabet(TypeAny)).Draw(t, "value").String())
	}
}
