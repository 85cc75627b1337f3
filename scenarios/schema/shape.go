package schema

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// shape is what several schemas together say of one place: a reference, the parts of an allOf and what stands beside them.
type shape struct {
	types             []string // nil: any
	enum              []string // JSON texts; nil: any value
	min, max          *big.Rat
	minOpen, maxOpen  bool // the bound itself is not allowed
	multiple          *big.Rat
	minSize, maxSize  int // of a text or an array; maxSize -1: none
	pattern, format   string
	properties        map[string][]*jsonschema.Schema
	required          []string
	open              bool                 // members that nobody named are expressly allowed
	additional        []*jsonschema.Schema // what they have to be
	items             []*jsonschema.Schema
	unique            bool
	choices           [][]*jsonschema.Schema // oneOf, anyOf: one of each
	standard          any
	hasStandard, none bool // none: nothing fits
}

// deepest bounds the following of references that lead to themselves.
const deepest = 32

func flatten(list []*jsonschema.Schema) *shape {
	s := &shape{maxSize: -1, properties: map[string][]*jsonschema.Schema{}}
	for _, one := range list {
		s.add(one, 0)
	}
	return s
}

func (s *shape) add(j *jsonschema.Schema, depth int) {
	if j == nil || depth > deepest {
		return
	}
	if j.Bool != nil {
		s.none = s.none || !*j.Bool
		return
	}
	s.add(j.Ref, depth+1)
	for _, part := range j.AllOf {
		s.add(part, depth+1)
	}
	for _, group := range [][]*jsonschema.Schema{j.OneOf, j.AnyOf} {
		if len(group) > 0 {
			s.choices = append(s.choices, group)
		}
	}
	if j.Types != nil {
		s.types = meet(s.types, j.Types.ToStrings())
	}
	if j.Enum != nil {
		s.enum = meet(s.enum, texts(j.Enum.Values))
	}
	if j.Const != nil {
		s.enum = meet(s.enum, texts([]any{*j.Const}))
	}
	s.numbers(j)
	s.sizes(j.MinLength, j.MaxLength)
	s.sizes(j.MinItems, j.MaxItems)
	if j.Pattern != nil {
		s.pattern = j.Pattern.String()
	}
	if j.Format != nil {
		s.format = j.Format.Name
	}
	for name, p := range j.Properties {
		s.properties[name] = append(s.properties[name], p)
	}
	for _, name := range j.Required {
		if !slices.Contains(s.required, name) {
			s.required = append(s.required, name)
		}
	}
	switch a := j.AdditionalProperties.(type) {
	case bool:
		s.open = s.open || a
	case *jsonschema.Schema:
		s.open, s.additional = true, append(s.additional, a)
	}
	if j.Items2020 != nil {
		s.items = append(s.items, j.Items2020)
	}
	if one, ok := j.Items.(*jsonschema.Schema); ok {
		s.items = append(s.items, one)
	}
	s.unique = s.unique || j.UniqueItems
	if j.Default != nil {
		s.standard, s.hasStandard = *j.Default, true
	}
}

func (s *shape) numbers(j *jsonschema.Schema) {
	lower := func(bound *big.Rat, open bool) {
		if bound != nil && (s.min == nil || bound.Cmp(s.min) > 0 || bound.Cmp(s.min) == 0 && open) {
			s.min, s.minOpen = bound, open
		}
	}
	upper := func(bound *big.Rat, open bool) {
		if bound != nil && (s.max == nil || bound.Cmp(s.max) < 0 || bound.Cmp(s.max) == 0 && open) {
			s.max, s.maxOpen = bound, open
		}
	}
	lower(j.Minimum, false)
	lower(j.ExclusiveMinimum, true)
	upper(j.Maximum, false)
	upper(j.ExclusiveMaximum, true)
	if j.MultipleOf != nil {
		s.multiple = j.MultipleOf
	}
}

func (s *shape) sizes(least, most *int) {
	if least != nil {
		s.minSize = max(s.minSize, *least)
	}
	if most != nil && (s.maxSize < 0 || *most < s.maxSize) {
		s.maxSize = *most
	}
}

// meet keeps what both lists have; nil is a list of everything.
func meet(a, b []string) []string {
	if a == nil {
		return b
	}
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
}

func texts(values []any) []string {
	out := []string{}
	for _, v := range values {
		if text, err := json.Marshal(v); err == nil {
			out = append(out, string(text))
		}
	}
	return out
}

// kind is the one type that a place usually has: the first that is not null; "" where anything goes.
func (s *shape) kind() string {
	for _, t := range s.types {
		if t != "null" {
			return t
		}
	}
	switch {
	case len(s.types) > 0:
		return "null"
	case len(s.properties) > 0 || s.additional != nil:
		return "object"
	case len(s.items) > 0:
		return "array"
	case s.min != nil || s.max != nil || s.multiple != nil:
		return "number"
	case s.pattern != "" || s.format != "":
		return "string"
	}
	return ""
}

// patterns are what texts of a format look like, as far as a rewrite has to keep to it.
var patterns = map[string]string{
	"date-time": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`,
	"date":      `^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$`,
	"time":      `^\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$`,
	"uuid":      `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`,
	"email":     `^[a-zA-Z0-9.]+@[a-z0-9.]+$`,
	"uri":       `^https?://[a-z0-9./]+$`,
	"hostname":  `^[a-z0-9.]+$`,
	"ipv4":      `^(\d{1,2}\.){3}\d{1,2}$`,
}

// formats are texts of a format, neighbours of one another.
var formats = map[string][]string{
	"date-time": {"2026-05-05T10:00:00Z", "2026-05-05T10:00:01Z", "2026-05-05T12:00:00+02:00", "2026-05-05T10:00:00.5Z"},
	"date":      {"2026-05-05", "2026-05-06"},
	"time":      {"10:00:00Z", "10:00:01Z"},
	"uuid":      {"0190a8e4-5c1f-7d3a-9b2e-6f4d8c7b1a05", "0190a8e4-5c1f-7d3a-9b2e-6f4d8c7b1a06"},
	"email":     {"ann@example.test", "Ann@example.test", "ben@example.test"},
	"uri":       {"https://example.test/a", "https://example.test/b"},
	"hostname":  {"a.example.test", "b.example.test"},
	"ipv4":      {"192.0.2.1", "192.0.2.2"},
	"ipv6":      {"2001:db8::1", "2001:db8::2"},
	"duration":  {"P1D", "P2D", "PT24H"},
}
