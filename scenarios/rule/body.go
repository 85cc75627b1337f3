package rule

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
	"github.com/oncespec/oncespec/scenarios/history"
)

// Likeness is how two bodies compare.
type Likeness int

// The likenesses.
const (
	Alike      Likeness = iota
	Unlike              // they differ in more than spelling and volatile fields
	Incomplete          // too little of them was recorded to tell
)

// CompareBodies compares two answers' bodies: byte for byte, or else, where both are JSON, by their meaning without the
// volatile fields (JSON Pointers). A server that keeps a JSON document rather than its bytes may spell it in another way.
// The detail says where they differ.
func CompareBodies(a, b history.Body, volatile []string) (likeness Likeness, detail string) {
	if sameBytes(a, b) {
		return Alike, ""
	}
	left, leftOK := parse(a)
	right, rightOK := parse(b)
	if leftOK && rightOK {
		if a.Text == b.Text && len(volatile) == 0 {
			return Unlike, "the bodies differ in a value that is redacted here"
		}
		for _, p := range volatile {
			left, right = stripped(left, p), stripped(right, p)
		}
		if at, differ := difference(left, right, ""); differ {
			return Unlike, "the bodies differ at " + at
		}
		return Alike, ""
	}
	if len(volatile) > 0 && (a.Truncated || b.Truncated) {
		return Incomplete, "the bodies are too long to leave out their volatile fields"
	}
	return Unlike, fmt.Sprintf("the bodies differ: %d and %d bytes", a.Length, b.Length)
}

func sameBytes(a, b history.Body) bool {
	if a.Length != b.Length {
		return false
	}
	if a.SHA256 != "" && b.SHA256 != "" {
		return a.SHA256 == b.SHA256
	}
	return a.Text == b.Text && a.Base64 == b.Base64
}

// parse reads a body that was recorded whole as JSON, its numbers as written.
func parse(b history.Body) (any, bool) {
	if b.Truncated || b.Text == "" {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(b.Text))
	d.UseNumber()
	var tree any
	if d.Decode(&tree) != nil {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	return tree, true
}

// walk visits the leaves in a stable order.
func walk(tree any, at string, visit func(at, leaf string)) {
	switch t := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(t)) {
			walk(t[name], at+"/"+escape(name), visit)
		}
	case []any:
		for i, item := range t {
			walk(item, at+"/"+strconv.Itoa(i), visit)
		}
	case string:
		visit(at, t)
	case json.Number:
		visit(at, t.String())
	case bool:
		visit(at, strconv.FormatBool(t))
	}
}

// Leaves returns the scalar values of a JSON body by JSON Pointer, numbers as written; nil where it is no whole JSON.
func Leaves(b history.Body) map[string]string {
	tree, ok := parse(b)
	if !ok {
		return nil
	}
	leaves := map[string]string{}
	walk(tree, "", func(at, leaf string) { leaves[at] = leaf })
	return leaves
}

// SameScalar tells whether two scalar values, as Leaves returns them, are the same: numbers in any spelling.
func SameScalar(a, b string) bool {
	return a == b || sameNumber(a, b)
}

// sameNumber compares exact values; what has none, such as a text, is no number and the same as nothing.
func sameNumber(a, b string) bool {
	x, notX := fingerprint.Number(a)
	y, notY := fingerprint.Number(b)
	return notX == nil && notY == nil && x == y
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

func escape(name string) string { return escaper.Replace(name) }

// stripped takes what a JSON Pointer names out of a tree; an item of an array leaves a null in its place.
func stripped(tree any, pointer string) any {
	if pointer == "" {
		return nil
	}
	head, rest, deeper := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	head = unescaper.Replace(head)
	if deeper {
		rest = "/" + rest
	}
	switch t := tree.(type) {
	case map[string]any:
		if !deeper {
			delete(t, head)
		} else if below, ok := t[head]; ok {
			t[head] = stripped(below, rest)
		}
	case []any:
		if i, err := strconv.Atoi(head); err == nil && 0 <= i && i < len(t) {
			t[i] = stripped(t[i], rest)
		}
	}
	return tree
}

// difference finds the first place where two trees do not mean the same.
func difference(a, b any, at string) (string, bool) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return place(at), true
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			other, ok := y[name]
			if !ok {
				return place(at + "/" + escape(name)), true
			}
			if where, differ := difference(x[name], other, at+"/"+escape(name)); differ {
				return where, true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[name]; !ok {
				return place(at + "/" + escape(name)), true
			}
		}
		return "", false
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return place(at), true
		}
		for i := range x {
			if where, differ := difference(x[i], y[i], at+"/"+strconv.Itoa(i)); differ {
				return where, true
			}
		}
		return "", false
	case json.Number:
		y, ok := b.(json.Number)
		return place(at), !ok || !SameScalar(x.String(), y.String())
	}
	return place(at), a != b
}

func place(at string) string {
	if at == "" {
		return "the root"
	}
	return at
}
