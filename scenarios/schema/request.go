package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// requests turns the schemas of an OpenAPI document into what they say of requests: members that only answers carry (readOnly) are
// neither sent nor required, and integers keep to the size that their format names.
func requests(doc any) {
	r := reader{doc: doc}
	r.each(doc, func(s map[string]any) {
		names := r.readOnly(s, 0)
		if len(names) > 0 {
			r.forgo(s, names, 0)
		}
	})
	r.each(doc, size)
	r.each(doc, func(s map[string]any) { // at last: what is read only was to be found by all who refer to it
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			if r.isReadOnly(p, 0) {
				delete(properties, name)
			}
		}
	})
}

// reader finds its way in a document.
type reader struct{ doc any }

// each visits every object of the document; those that are no schemas have nothing of what is looked for.
func (r reader) each(value any, visit func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(v)
		for _, below := range v {
			r.each(below, visit)
		}
	case []any:
		for _, item := range v {
			r.each(item, visit)
		}
	}
}

// readOnly are the members of a schema, and of the parts that it is made of, that requests do not carry.
func (r reader) readOnly(s map[string]any, depth int) (names []string) {
	if depth > deepest {
		return nil
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		if r.isReadOnly(p, 0) {
			names = append(names, name)
		}
	}
	for _, part := range r.parts(s) {
		names = append(names, r.readOnly(part, depth+1)...)
	}
	return names
}

func (r reader) isReadOnly(value any, depth int) bool {
	s, ok := value.(map[string]any)
	if !ok || depth > deepest {
		return false
	}
	return s["readOnly"] == true || slices.ContainsFunc(r.parts(s), func(part map[string]any) bool { return r.isReadOnly(part, depth+1) })
}

// forgo no longer asks for members.
func (r reader) forgo(s map[string]any, names []string, depth int) {
	if depth > deepest {
		return
	}
	if list, ok := s["required"].([]any); ok {
		list = slices.DeleteFunc(slices.Clone(list), func(name any) bool {
			text, ok := name.(string)
			return ok && slices.Contains(names, text)
		})
		if s["required"] = list; len(list) == 0 {
			delete(s, "required")
		}
	}
	for _, part := range r.parts(s) {
		r.forgo(part, names, depth+1)
	}
}

// parts are what a schema refers to, and what it is all of.
func (r reader) parts(s map[string]any) (parts []map[string]any) {
	list, _ := s["allOf"].([]any)
	for _, part := range list {
		if part, ok := part.(map[string]any); ok {
			parts = append(parts, part)
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		if target, ok := r.at(ref).(map[string]any); ok {
			parts = append(parts, target)
		}
	}
	return parts
}

// at is what a reference within the document leads to; nil: nothing.
func (r reader) at(ref string) any {
	pointer, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil
	}
	at := r.doc
	for token := range strings.SplitSeq(pointer, "/") {
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
	}
	return at
}

// sizes are the bounds of OpenAPI's formats of integers.
var sizes = map[any][2]json.Number{
	"int32": {"-2147483648", "2147483647"},
	"int64": {"-9223372036854775808", "9223372036854775807"},
}

// size bounds an integer by its format, where it has no bound of its own.
func size(s map[string]any) {
	bounds, sized := sizes[s["format"]]
	if !sized {
		return
	}
	if s["minimum"] == nil && s["exclusiveMinimum"] == nil {
		s["minimum"] = bounds[0]
	}
	if s["maximum"] == nil && s["exclusiveMaximum"] == nil {
		s["maximum"] = bounds[1]
	}
}
