package rewrite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Vary says which other values one place of a sample may take so that the request stays valid. One that says nothing, {}, allows
// any value of the type that the sample has there. Places that are not listed stay as they are, unless none is.
//
// The place is a JSON Pointer into the body, or ?NAME for a query parameter.
type Vary struct {
	// Type is the sample's by default. Object, array and any are free-form: what is below them may change as well.
	Type string `json:"type,omitempty" yaml:"type,omitempty" jsonschema:"enum=integer,enum=number,enum=string,enum=boolean,enum=object,enum=array,enum=any"`
	// Enum lists all allowed values.
	Enum []any `json:"enum,omitempty" yaml:"enum,omitempty"`
	// Min is the lowest number, the fewest characters of a string, or the fewest items of an array.
	Min Decimal `json:"min,omitempty" yaml:"min,omitempty" jsonschema:"oneof_type=number;string"`
	// Max is the highest number, the most characters of a string, or the most items of an array.
	Max Decimal `json:"max,omitempty" yaml:"max,omitempty" jsonschema:"oneof_type=number;string"`
	// Pattern is a regular expression (RE2) that a string has to match somewhere.
	Pattern string `json:"pattern,omitempty" yaml:"pattern,omitempty"`
	// Optional allows the place to be absent.
	Optional bool `json:"optional,omitempty" yaml:"optional,omitempty"`
	// Default is the value that an absent place stands for; it implies Optional.
	Default any `json:"default,omitempty" yaml:"default,omitempty"`
	// Values applies to each member of a free-form object, or each item of an array. Default: anything.
	Values *Vary `json:"values,omitempty" yaml:"values,omitempty"`
}

// The types a place can have.
const (
	TypeInteger = "integer"
	TypeNumber  = "number"
	TypeString  = "string"
	TypeBoolean = "boolean"
	TypeObject  = "object"
	TypeArray   = "array"
	TypeAny     = "any"
)

// Decimal is an exact decimal number, written as JSON does. In configuration it may be a number or a string; the empty
// value is none.
type Decimal string

// UnmarshalJSON takes a number or a string that holds one.
func (d *Decimal) UnmarshalJSON(text []byte) error { return d.set(text) }

// UnmarshalYAML takes a scalar as it is spelled in the file, so that no digit is lost.
func (d *Decimal) UnmarshalYAML(text []byte) error { return d.set(text) }

// MarshalJSON writes the number as it was spelled.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("null"), nil
	}
	if !validNumber(string(d)) {
		return nil, fmt.Errorf("bound %q: expected a decimal number such as 10 or 0.5", string(d))
	}
	return []byte(d), nil
}

func (d *Decimal) set(text []byte) error {
	plain := string(bytes.TrimSpace(text))
	if len(plain) >= 2 && (plain[0] == '"' || plain[0] == '\'') && plain[len(plain)-1] == plain[0] {
		plain = plain[1 : len(plain)-1]
	}
	if plain == "null" || plain == "" {
		*d = ""
		return nil
	}
	plain = strings.TrimPrefix(plain, "+")
	if !validNumber(plain) {
		return fmt.Errorf("bound %q: expected a decimal number such as 10 or 0.5", plain)
	}
	*d = Decimal(plain)
	return nil
}

// validNumber tells whether text is a number by the grammar of RFC 8259, section 6.
func validNumber(text string) bool {
	return text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text))
}
