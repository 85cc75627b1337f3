package rewrite

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// rule is a Vary made ready for use: its type is known and its values are trees.
type rule struct {
	kind     string // one of the Type constants
	enum     []*Node
	min, max string
	pattern  *regexp.Regexp // of a string; nil: any
	optional bool
	standard *Node // the default, nil: none
	values   *rule // of the members or items; nil: anything
}

var anything = &rule{kind: TypeAny}

// compile checks a Vary; sample is the value now at its place, nil where there is none.
func compile(v Vary, sample *Node) (*rule, error) {
	r := &rule{kind: v.Type, min: string(v.Min), max: string(v.Max), optional: v.Optional || v.Default != nil}
	for i, value := range v.Enum {
		node, err := literal(value)
		if err != nil {
			return nil, fmt.Errorf("enum[%d]: %w", i, err)
		}
		r.enum = append(r.enum, node)
	}
	if v.Default != nil {
		node, err := literal(v.Default)
		if err != nil {
			return nil, fmt.Errorf("default: %w", err)
		}
		r.standard = node
	}
	if v.Pattern != "" {
		pattern, err := regexp.Compile(v.Pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern: %w", err)
		}
		r.pattern = pattern
	}
	if v.Values != nil {
		values, err := compile(*v.Values, nil)
		if err != nil {
			return nil, fmt.Errorf("values: %w", err)
		}
		r.values = values
	}
	switch {
	case r.kind != "":
		if !slices.Contains(types, r.kind) {
			return nil, fmt.Errorf("type: found %q, expected one of %s", r.kind, strings.Join(types, ", "))
		}
	case len(r.enum) > 0:
		r.kind = TypeAny
	case sample != nil:
		r.kind = typeOf(sample)
	case r.standard != nil:
		r.kind = typeOf(r.standard)
	default:
		r.kind = TypeAny
	}
	for _, bound := range []string{r.min, r.max} {
		if bound != "" && !validNumber(bound) {
			return nil, fmt.Errorf("found bound %q, expected a decimal number such as 10 or 0.5", bound)
		}
	}
	if r.min != "" && r.max != "" && compareNumbers(r.min, r.max) > 0 {
		return nil, fmt.Errorf("min %s is greater than max %s", r.min, r.max)
	}
	if r.standard != nil && !r.admits(r.standard) {
		return nil, fmt.Errorf("default %s is not among the values that may be sent", r.standard)
	}
	return r, nil
}

var types = []string{TypeInteger, TypeNumber, TypeString, TypeBoolean, TypeObject, TypeArray, TypeAny}

// literal turns a decoded configuration value into a tree.
func literal(value any) (*Node, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// typeOf is the type of a value; null tells nothing.
func typeOf(n *Node) string {
	switch n.Kind {
	case Bool:
		return TypeBoolean
	case Number:
		if plainInteger(n.Text) {
			return TypeInteger
		}
		return TypeNumber
	case String:
		return TypeString
	case Array:
		return TypeArray
	case Object:
		return TypeObject
	}
	return TypeAny
}

// admits tells whether a value may stand where the rule applies.
func (r *rule) admits(n *Node) bool {
	if len(r.enum) > 0 && !slices.ContainsFunc(r.enum, n.same) {
		return false
	}
	if got := typeOf(n); r.kind != TypeAny && r.kind != got && !(r.kind == TypeNumber && got == TypeInteger) {
		return false
	}
	if r.values != nil {
		for i := range len(n.Items) + len(n.Members) {
			if !r.values.admits(n.child(i)) {
				return false
			}
		}
	}
	size := ""
	switch n.Kind {
	case Number:
		size = n.Text
	case String:
		if r.pattern != nil && !r.pattern.MatchString(unquote(n.Text)) {
			return false
		}
		size = strconv.Itoa(utf8.RuneCountInString(unquote(n.Text)))
	case Array:
		size = strconv.Itoa(len(n.Items))
	default:
		return true
	}
	return (r.min == "" || compareNumbers(size, r.min) >= 0) && (r.max == "" || compareNumbers(size, r.max) <= 0)
}

// freeForm tells whether what lies below may change too.
func (r *rule) freeForm() bool {
	return len(r.enum) == 0 && (r.kind == TypeObject || r.kind == TypeArray || r.kind == TypeAny)
}

// below is the rule for a member or item of a free-form value.
func (r *rule) below(child *Node) *rule {
	switch {
	case r.values != nil:
		return r.values
	case r.kind == TypeArray:
		return &rule{kind: typeOf(child)}
	}
	return anything
}
