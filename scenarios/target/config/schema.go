package config

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

//go:embed oncespec.schema.json
var schemaText []byte

// Schema is the JSON Schema of the configuration, for editors: it is generated from the types of this package.
func Schema() []byte { return bytes.Clone(schemaText) }

// durationPattern is how the schema writes a duration; what it lets through, time.ParseDuration reads.
const durationPattern = `^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`

var compiled = sync.OnceValue(func() *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		panic(err) // the text is embedded and tested
	}
	const name = "oncespec.schema.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, doc); err != nil {
		panic(err)
	}
	return compiler.MustCompile(name)
})

// conform holds a document against the schema. loose tells that it can be read although there are problems: all of them are
// about names, none about the types of values.
func (d *document) conform() (problems Problems, loose bool) {
	var err error
	if d.root, err = jsonschema.UnmarshalJSON(bytes.NewReader(d.json)); err != nil {
		return Problems{d.problem(place{1, 1}, "", "what cannot be read", "a mapping: "+err.Error(), "")}, false
	}
	var broken *jsonschema.ValidationError
	if !errors.As(compiled().Validate(d.root), &broken) {
		return nil, true
	}
	loose = true
	var each func(*jsonschema.ValidationError)
	each = func(e *jsonschema.ValidationError) {
		if _, leaf := e.ErrorKind.(*kind.OneOf); !leaf && len(e.Causes) > 0 {
			for _, cause := range e.Causes {
				each(cause)
			}
			return
		}
		if _, word := e.ErrorKind.(*kind.Enum); word && len(e.InstanceLocation) > 0 && e.InstanceLocation[0] == "contract" {
			return // the contract itself says it, with all else that is wrong with it
		}
		problems = append(problems, d.mismatch(e)...)
		switch e.ErrorKind.(type) {
		case *kind.AdditionalProperties, *kind.Required, *kind.MinLength, *kind.MinItems:
		default:
			loose = false
		}
	}
	each(broken)
	return problems, loose
}

// mismatch puts what the validator says into our words.
func (d *document) mismatch(e *jsonschema.ValidationError) Problems {
	pointer := ""
	for _, token := range e.InstanceLocation {
		pointer = below(pointer, token)
	}
	schema := schemaAt(e.InstanceLocation)
	one := func(expected, near string) Problems {
		return Problems{d.problem(d.at(pointer), pointer, describe(valueAt(d.root, e.InstanceLocation)), expected, near)}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		return d.unknown(pointer, schema, k.Properties)
	case *kind.Required:
		var out Problems
		for _, name := range k.Missing {
			out = append(out, d.problem(d.keyAt(pointer), pointer, "no "+name, "one", ""))
		}
		return out
	case *kind.Type:
		expected := wanted(k.Want)
		if k.Got == "number" && slices.Contains(k.Want, "string") || k.Got == "boolean" && slices.Contains(k.Want, "string") {
			expected += " (in quotes, if it is meant)"
		}
		if isDuration(schema) {
			expected = wantedDuration
		}
		return one(expected, "")
	case *kind.Enum:
		var words []string
		for _, w := range k.Want {
			words = append(words, fmt.Sprint(w))
		}
		return one(either(words), near(fmt.Sprint(k.Got), words))
	case *kind.Pattern:
		if isDuration(schema) {
			return one(wantedDuration, "")
		}
		return one("text like "+k.Want, "")
	case *kind.OneOf:
		return one("a number", "")
	case *kind.MinItems:
		return one("at least one", "")
	case *kind.MinLength:
		return one("some text", "")
	case *kind.Minimum:
		return one("at least "+k.Want.RatString(), "")
	case *kind.Maximum:
		return one("at most "+k.Want.RatString(), "")
	}
	return one(fmt.Sprintf("what the schema says: %v", e.ErrorKind), "")
}

const wantedDuration = "a duration such as 300ms, 5s or 10m"

func isDuration(s *jsonschema.Schema) bool {
	return s != nil && s.Pattern != nil && s.Pattern.String() == durationPattern
}

func (d *document) unknown(pointer string, schema *jsonschema.Schema, names []string) Problems {
	var known []string
	if schema != nil {
		known = slices.Sorted(maps.Keys(schema.Properties))
	}
	var out Problems
	for _, name := range names {
		child := below(pointer, name)
		out = append(out, d.problem(d.keyAt(child), child, "an unknown field", either(known), near(name, known)))
	}
	return out
}

// schemaAt is the schema of a value, or nil.
func schemaAt(location []string) *jsonschema.Schema {
	s := compiled()
	for _, token := range location {
		s = follow(s)
		if s == nil {
			return nil
		}
		switch child, ok := s.Properties[token]; {
		case ok:
			s = child
		case s.Items2020 != nil:
			s = s.Items2020
		default:
			s, _ = s.AdditionalProperties.(*jsonschema.Schema)
		}
	}
	return follow(s)
}

func follow(s *jsonschema.Schema) *jsonschema.Schema {
	for s != nil && s.Ref != nil {
		s = s.Ref
	}
	return s
}

func valueAt(v any, location []string) any {
	for _, token := range location {
		switch parent := v.(type) {
		case map[string]any:
			v = parent[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			v = parent[i]
		default:
			return nil
		}
	}
	return v
}

// describe names a value of the file in its own terms.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return quote(v)
	case bool:
		return fmt.Sprint(v)
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case map[string]any:
		if len(v) == 0 {
			return "an empty mapping"
		}
		return "a mapping"
	}
	return "the number " + fmt.Sprint(v)
}

func wanted(types []string) string {
	words := map[string]string{
		"object": "a mapping", "array": "a list", "string": "text", "boolean": "true or false",
		"integer": "a whole number", "number": "a number", "null": "nothing",
	}
	var out []string
	for _, t := range types {
		out = append(out, words[t])
	}
	return strings.Join(out, " or ")
}
