package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

const (
	// shallow is how deep optional members go: schemas may refer to themselves.
	shallow = 4
	// bottom is where a value that needs itself is given up, and most how many values one body may have beyond what it needs.
	bottom = 24
	most   = 300
	// retries bounds the drawing of what fits a pattern, or differs from its neighbours.
	retries = 10
	// bodies is how many bodies are drawn for one that fits: parts that fit each for itself may not fit together.
	bodies = 4
)

// Changes draws what makes another body of the sample, which fits the schema. Pinned places stay as they are. It is nil where
// nothing that was drawn fits together.
func (s *Schema) Changes(t *rapid.T, sample *rewrite.Sample, pinned []string) []rewrite.Change {
	body, err := rewrite.Parse(sample.Request().Body)
	if err != nil {
		return nil
	}
	for range bodies {
		d := drawer{t: t, pinned: pinned}
		d.members(flatten([]*jsonschema.Schema{s.root}), body, nil)
		changed, err := sample.With(d.out...)
		if err == nil && s.Validate(changed.Request().Body) == nil {
			return d.out
		}
	}
	return nil
}

type drawer struct {
	t      *rapid.T
	pinned []string
	out    []rewrite.Change
	drawn  int
}

// deep tells whether only what is needed is drawn from here on.
func (d *drawer) deep(depth int) bool { return depth >= shallow || d.drawn > most }

// members draws the members of an object that the sample has, one change each, around what is pinned.
func (d *drawer) members(s *shape, now *rewrite.Node, at rewrite.Pointer) {
	s = d.choose(s)
	for _, name := range slices.Sorted(maps.Keys(s.properties)) {
		below := append(slices.Clone(at), name)
		pointer := below.String()
		value, there := now.At(rewrite.Pointer{name})
		p := flatten(s.properties[name])
		switch {
		case slices.Contains(d.pinned, pointer) || p.none:
		case slices.ContainsFunc(d.pinned, func(pin string) bool { return within(pin, pointer) }):
			if there && value.Kind == rewrite.Object {
				d.members(p, value, below)
			}
		case slices.Contains(s.required, name):
			d.out = append(d.out, rewrite.Change{At: pointer, Value: d.value(p, 0)})
		case rapid.Bool().Draw(d.t, "there"):
			d.out = append(d.out, rewrite.Change{At: pointer, Value: d.value(p, 0)})
		case there:
			d.out = append(d.out, rewrite.Change{At: pointer, Drop: true})
		}
	}
}

// choose takes one of each oneOf and anyOf.
func (d *drawer) choose(s *shape) *shape {
	for range shallow {
		if len(s.choices) == 0 {
			break
		}
		choices := s.choices
		s.choices = nil
		for _, group := range choices {
			s.add(rapid.SampledFrom(group).Draw(d.t, "one of"), 0)
		}
	}
	return s
}

// value draws one value as JSON.
func (d *drawer) value(s *shape, depth int) string {
	if d.drawn++; depth > bottom {
		return "null" // it needs itself: the body as a whole is held against the schema
	}
	s = d.choose(s)
	if len(s.enum) > 0 {
		return rapid.SampledFrom(s.enum).Draw(d.t, "enum")
	}
	kind := s.kind()
	if slices.Contains(s.types, "null") && rapid.IntRange(0, 4).Draw(d.t, "null") == 4 {
		return "null"
	}
	switch kind {
	case "integer", "number":
		return d.number(s, kind == "integer")
	case "string":
		return quoted(d.text(s))
	case "boolean":
		return strconv.FormatBool(rapid.Bool().Draw(d.t, "bool"))
	case "array":
		return d.array(s, depth)
	case "object":
		return d.object(s, depth)
	case "null":
		return "null"
	}
	return rapid.SampledFrom([]string{`1`, `2`, `"a"`, `"A"`, `true`, `{}`, `{"a":1}`, `[1,2]`}).Draw(d.t, "any")
}

// numbers are close to one another in some reading.
var numbers = []string{"0", "1", "2", "10", "100", "1999", "9007199254740992", "9007199254740993", "-1", "0.1", "0.10000000000000001", "1.5", "0.25"}

func (d *drawer) number(s *shape, integer bool) string {
	var fit []string
	try := func(r *big.Rat, text string) {
		if s.multiple != nil {
			q := new(big.Rat).Quo(r, s.multiple)
			if !q.IsInt() {
				r = new(big.Rat).Mul(s.multiple, new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom())))
				text = decimal(r)
			}
		}
		if (!integer || r.IsInt()) && s.inBounds(r) && !slices.Contains(fit, text) {
			fit = append(fit, text)
		}
	}
	for _, text := range numbers {
		r, _ := new(big.Rat).SetString(text)
		try(r, text)
	}
	step := big.NewRat(1, 1)
	if s.multiple != nil {
		step = s.multiple
	}
	for _, bound := range []*big.Rat{s.min, s.max} {
		if bound == nil {
			continue
		}
		for _, near := range []*big.Rat{bound, new(big.Rat).Add(bound, step), new(big.Rat).Sub(bound, step)} {
			try(near, decimal(near))
		}
		if s.min != nil && s.max != nil {
			middle := new(big.Rat).Mul(new(big.Rat).Add(s.min, s.max), big.NewRat(1, 2))
			if integer {
				middle.SetInt(new(big.Int).Quo(middle.Num(), middle.Denom()))
			}
			try(middle, decimal(middle))
		}
	}
	if len(fit) == 0 {
		return "0" // nothing fits; the body as a whole is held against the schema
	}
	return rapid.SampledFrom(fit).Draw(d.t, "number")
}

func (s *shape) inBounds(r *big.Rat) bool {
	if s.min != nil {
		if c := r.Cmp(s.min); c < 0 || c == 0 && s.minOpen {
			return false
		}
	}
	if s.max != nil {
		if c := r.Cmp(s.max); c > 0 || c == 0 && s.maxOpen {
			return false
		}
	}
	return true
}

var words = []string{"a", "b", "A", "ab", "a b", "", "1", "true", "\u00e9", "e\u0301", "a/b", "<b>"}

func (d *drawer) text(s *shape) string {
	fits := func(text string) bool {
		n := utf8.RuneCountInString(text)
		return n >= s.minSize && (s.maxSize < 0 || n <= s.maxSize)
	}
	if s.pattern != "" {
		drawn := ""
		for range retries {
			if drawn = rapid.StringMatching(s.pattern).Draw(d.t, "pattern"); fits(drawn) {
				return drawn
			}
		}
		return drawn
	}
	list := formats[s.format]
	if list == nil {
		list = words
	}
	var fit []string
	for _, w := range list {
		if n := utf8.RuneCountInString(w); n < s.minSize && formats[s.format] == nil {
			w += strings.Repeat("a", s.minSize-n)
		}
		if fits(w) {
			fit = append(fit, w)
		}
	}
	if len(fit) == 0 {
		return strings.Repeat("a", s.minSize)
	}
	return rapid.SampledFrom(fit).Draw(d.t, "text")
}

func (d *drawer) array(s *shape, depth int) string {
	largest := s.minSize + 3
	if s.maxSize >= 0 {
		largest = min(largest, s.maxSize)
	}
	if d.deep(depth) {
		largest = s.minSize
	}
	var items []string
	for range rapid.IntRange(s.minSize, max(s.minSize, largest)).Draw(d.t, "size") {
		item := d.value(flatten(s.items), depth+1)
		for range retries {
			if !s.unique || !slices.Contains(items, item) {
				break
			}
			item = d.value(flatten(s.items), depth+1)
		}
		if !s.unique || !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (d *drawer) object(s *shape, depth int) string {
	var members []string
	for _, name := range slices.Sorted(maps.Keys(s.properties)) {
		needed := slices.Contains(s.required, name)
		if needed || !d.deep(depth) && rapid.Bool().Draw(d.t, "there") {
			members = append(members, quoted(name)+":"+d.value(flatten(s.properties[name]), depth+1))
		}
	}
	if s.open && !d.deep(depth) {
		for _, name := range []string{"a", "b"} {
			if _, named := s.properties[name]; !named && rapid.Bool().Draw(d.t, "there") {
				members = append(members, quoted(name)+":"+d.value(flatten(s.additional), depth+1))
			}
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(text)
}
