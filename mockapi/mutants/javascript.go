package mutants

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/mockapi/flow"
)

// javascript digests the text that JavaScript makes of the body as it was sent, in place of what it means.
func javascript(f *flow.Flow, order func(names []string), only func(top []string) []string) func(*flow.Call) (string, error) {
	return func(call *flow.Call) (string, error) {
		decoder := json.NewDecoder(bytes.NewReader(call.Input.Body))
		decoder.UseNumber()
		value, err := readJS(decoder)
		if err != nil {
			return flow.Digest(f.Contract.Fingerprint, call) // no body
		}
		s := stringify{order: order}
		if object, ok := value.(jsObject); ok && only != nil {
			s.only = only(slices.Clone(object.names))
		}
		s.write(value)
		return digestOf(f, call, s.out.String())
	}
}

// jsObject keeps its names in the order of their first appearance, and the last value of each.
type jsObject struct {
	names  []string
	values map[string]any
}

func readJS(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := jsObject{values: map[string]any{}}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := readJS(d)
			if err != nil {
				return nil, err
			}
			key, _ := name.(string)
			if _, again := object.values[key]; !again {
				object.names = append(object.names, key)
			}
			object.values[key] = value
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		items := []any{}
		for d.More() {
			item, err := readJS(d)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err = d.Token()
		return items, err
	}
	return token, nil
}

// stringify is JSON.stringify.
type stringify struct {
	out   strings.Builder
	order func(names []string)
	only  []string // nil: all members
}

func (s *stringify) write(value any) {
	switch v := value.(type) {
	case jsObject:
		names := slices.Clone(v.names)
		s.order(names)
		s.out.WriteByte('{')
		for _, name := range names {
			if s.only == nil || slices.Contains(s.only, name) {
				s.out.WriteString(strconv.Quote(name) + ":")
				s.write(v.values[name])
				s.out.WriteByte(',')
			}
		}
		s.out.WriteByte('}')
	case []any:
		s.out.WriteByte('[')
		for _, item := range v {
			s.write(item)
			s.out.WriteByte(',')
		}
		s.out.WriteByte(']')
	case json.Number:
		f, _ := strconv.ParseFloat(v.String(), 64)
		if math.IsInf(f, 0) {
			s.out.WriteString("null")
			return
		}
		s.out.WriteString(strconv.FormatFloat(f+0, 'g', -1, 64)) // -0 is written as 0
	default:
		s.out.WriteString(text(v))
	}
}

// insertion is the order in which JavaScript keeps members: those that are array indices first, by their value.
func insertion(names []string) {
	isIndex := func(name string) (uint64, bool) {
		n, err := strconv.ParseUint(name, 10, 32)
		return n, err == nil && strconv.FormatUint(n, 10) == name
	}
	sort.SliceStable(names, func(i, j int) bool {
		a, okA := isIndex(names[i])
		b, okB := isIndex(names[j])
		return okA && (!okB || a < b)
	})
}

// jcs is RFC 8785 over the command: numbers are binary floating point, and what that cannot hold is refused.
func jcs(f *flow.Flow) func(*flow.Call) (string, error) {
	return func(call *flow.Call) (string, error) {
		var value any
		if err := json.Unmarshal(call.JSON, &value); err != nil {
			return "", beyondFloat(err)
		}
		return digestOf(f, call, walk(value, func(v any) any {
			if n, ok := v.(float64); ok {
				return n + 0 // -0 is 0
			}
			return v
		}))
	}
}
