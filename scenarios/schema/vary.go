package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// Vary says what may vary in a sample, by JSON Pointer. Pinned places, and what they are in, are left out.
func (s *Schema) Vary(sample *rewrite.Node, pinned []string) map[string]rewrite.Vary {
	out := map[string]rewrite.Vary{}
	describe(flatten([]*jsonschema.Schema{s.root}), sample, nil, pinned, out)
	return out
}

func describe(s *shape, now *rewrite.Node, at rewrite.Pointer, pinned []string, out map[string]rewrite.Vary) {
	for name, list := range s.properties {
		below := append(slices.Clone(at), name)
		value, there := now.At(rewrite.Pointer{name})
		p := flatten(list)
		holds := slices.ContainsFunc(pinned, func(pin string) bool { return within(pin, below.String()) })
		if slices.Contains(pinned, below.String()) || p.none {
			continue
		}
		optional := !slices.Contains(s.required, name)
		switch kind := p.kind(); {
		case kind == "object" && (holds || !p.open && len(p.properties) > 0):
			if there && value.Kind == rewrite.Object {
				describe(p, value, below, pinned, out)
			}
		case len(p.choices) > 0 && len(p.enum) == 0:
			// what is valid there depends on more than a rule for one place can express: bodies are drawn with it, rewrites
			// leave it alone
		case there || optional:
			out[below.String()] = p.vary(optional)
		}
	}
}

// within tells whether a pointer is at or below another.
func within(pointer, top string) bool { return pointer == top || strings.HasPrefix(pointer, top+"/") }

func (s *shape) vary(optional bool) rewrite.Vary {
	v := rewrite.Vary{Type: s.kind(), Optional: optional}
	if v.Type == "null" {
		v.Type = ""
	}
	for _, text := range s.enum {
		v.Enum = append(v.Enum, raw(text))
	}
	if s.hasStandard && optional {
		v.Default = s.standard
	}
	switch v.Type {
	case "integer", "number":
		v.Min, v.Max = s.bound(s.min, s.minOpen, 1), s.bound(s.max, s.maxOpen, -1)
	case "string", "array":
		if s.minSize > 0 {
			v.Min = rewrite.Decimal(fmt.Sprint(s.minSize))
		}
		if s.maxSize >= 0 {
			v.Max = rewrite.Decimal(fmt.Sprint(s.maxSize))
		}
	}
	if v.Type == "string" {
		if v.Pattern = s.pattern; v.Pattern == "" {
			v.Pattern = patterns[s.format]
		}
	}
	if v.Type == "array" && len(s.items) > 0 {
		items := flatten(s.items).vary(false)
		v.Values = &items
	}
	if v.Type == "object" && len(s.additional) > 0 {
		values := flatten(s.additional).vary(false)
		v.Values = &values
	}
	return v
}

// bound is a bound that is allowed itself; of an integer that is one further where it is not.
func (s *shape) bound(b *big.Rat, open bool, step int64) rewrite.Decimal {
	if b == nil {
		return ""
	}
	if open && s.kind() == "integer" && b.IsInt() {
		b = new(big.Rat).Add(b, big.NewRat(step, 1))
	}
	return rewrite.Decimal(decimal(b))
}

// decimal writes a number exactly, or close to it where it has no end.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(min(digits, 30))
}

func raw(text string) any { return json.RawMessage(text) }
