package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// writer writes a YAML tree as JSON and notes where everything stood.
type writer struct {
	*document
	out      []byte
	nodes    int
	anchors  map[string]ast.Node
	open     []string // anchors whose value is being written: an alias to one of them would never end
	problems Problems
	full     bool // the file is too large; said once
}

func (w *writer) problem(at place, pointer, found, expected string) {
	w.problems = append(w.problems, w.document.problem(at, pointer, found, expected, ""))
}

// value writes one value. What is reached through an alias stands where its anchor does: it is spelled there.
func (w *writer) value(n ast.Node, pointer string, depth int) {
	start := len(w.out)
	if n == nil || !w.room(n, pointer, depth) {
		w.out = append(w.out, "null"...)
		return
	}
	w.values[pointer] = placeOfNode(n)
	switch n := n.(type) {
	case *ast.MappingNode:
		w.object(n.Values, pointer, depth)
	case *ast.MappingValueNode:
		w.object([]*ast.MappingValueNode{n}, pointer, depth)
	case *ast.SequenceNode:
		w.out = append(w.out, '[')
		for i, item := range n.Values {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.value(item, below(pointer, i), depth+1)
		}
		w.out = append(w.out, ']')
	case *ast.AnchorNode:
		name := n.Name.GetToken().Value
		w.anchors[name] = n.Value
		w.open = append(w.open, name)
		w.value(n.Value, pointer, depth)
		w.open = w.open[:len(w.open)-1]
	case *ast.AliasNode:
		if target, name := w.aliased(n, pointer); target != nil {
			w.open = append(w.open, name)
			w.value(target, pointer, depth)
			w.open = w.open[:len(w.open)-1]
		}
	case *ast.TagNode:
		w.tagged(n, pointer, depth)
	default:
		w.scalar(n, pointer)
	}
	if len(w.out) == start {
		w.out = append(w.out, "null"...) // a problem was noted
	}
}

// room counts a node, and says once that there are too many.
func (w *writer) room(n ast.Node, pointer string, depth int) bool {
	w.nodes++
	if (w.nodes > maxNodes || depth > maxDepth) && !w.full {
		w.full = true
		w.problem(placeOfNode(n), pointer, "too much", fmt.Sprintf("at most %d values in %d levels, with every use of an anchor counted", maxNodes, maxDepth))
	}
	return !w.full
}

func placeOfNode(n ast.Node) place {
	switch n := n.(type) {
	case *ast.MappingNode:
		if n.Start != nil && n.Start.Type == token.MappingStartType {
			return placeOf(n.Start)
		}
		if len(n.Values) > 0 { // the token of a block mapping is its first colon
			return placeOf(n.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return placeOf(n.Key.GetToken())
	}
	return placeOf(n.GetToken())
}

func (w *writer) aliased(n *ast.AliasNode, pointer string) (ast.Node, string) {
	name := n.Value.GetToken().Value
	target, ok := w.anchors[name]
	if !ok {
		w.problem(placeOf(n.GetToken()), pointer, "*"+name, "an alias of an anchor that stands before it: there is no &"+name)
		return nil, ""
	}
	for _, open := range w.open {
		if open == name {
			w.problem(placeOf(n.GetToken()), pointer, "*"+name+" inside its own anchor", "a value that ends")
			return nil, ""
		}
	}
	return target, name
}

// object writes members. What a merge key brings stands behind the members that are written out, which win.
func (w *writer) object(members []*ast.MappingValueNode, pointer string, depth int) {
	w.out = append(w.out, '{')
	w.members[pointer] = nil
	seen := map[string]place{}
	w.append(members, pointer, depth, seen, false)
	w.out = append(w.out, '}')
}

func (w *writer) append(members []*ast.MappingValueNode, pointer string, depth int, seen map[string]place, merged bool) {
	var merges []ast.Node
	for _, m := range members {
		if m.Key.IsMergeKey() {
			merges = append(merges, m.Value)
			continue
		}
		name, ok := w.name(m.Key, pointer)
		if !ok {
			continue
		}
		at := placeOf(m.Key.GetToken())
		if first, twice := seen[name]; twice {
			if !merged {
				w.problem(at, below(pointer, name), fmt.Sprintf("the key %s again, first in line %d", quote(name), first.line), "each key once")
			}
			continue
		}
		seen[name] = at
		if len(w.members[pointer]) > 0 {
			w.out = append(w.out, ',')
		}
		w.members[pointer] = append(w.members[pointer], name)
		w.keys[below(pointer, name)] = at
		w.string(name)
		w.out = append(w.out, ':')
		w.value(m.Value, below(pointer, name), depth+1)
	}
	for _, m := range merges {
		w.merge(m, pointer, depth, seen)
	}
}

func (w *writer) merge(n ast.Node, pointer string, depth int, seen map[string]place) {
	if depth++; !w.room(n, pointer, depth) {
		return
	}
	switch n := n.(type) {
	case *ast.AliasNode:
		if target, name := w.aliased(n, pointer); target != nil {
			w.open = append(w.open, name)
			w.merge(target, pointer, depth, seen)
			w.open = w.open[:len(w.open)-1]
		}
	case *ast.AnchorNode:
		w.merge(n.Value, pointer, depth, seen)
	case *ast.MappingNode:
		w.append(n.Values, pointer, depth, seen, true)
	case *ast.MappingValueNode:
		w.append([]*ast.MappingValueNode{n}, pointer, depth, seen, true)
	case *ast.SequenceNode:
		for _, item := range n.Values {
			w.merge(item, pointer, depth, seen)
		}
	default:
		w.problem(placeOfNode(n), pointer, "something else", "a mapping, or an alias of one, behind <<")
	}
}

// name is the name of a member. YAML takes any value for one, JSON text only.
func (w *writer) name(key ast.Node, pointer string) (string, bool) {
	switch n := key.(type) {
	case *ast.AnchorNode:
		w.anchors[n.Name.GetToken().Value] = n.Value
		return w.name(n.Value, pointer)
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return n.GetToken().Value, true
	}
	w.problem(placeOf(key.GetToken()), pointer, "a key that is no text", "text")
	return "", false
}

func (w *writer) tagged(n *ast.TagNode, pointer string, depth int) {
	if n.Start.Value == "!!str" {
		if s, ok := n.Value.(ast.ScalarNode); ok && n.Value.Type() != ast.LiteralType {
			w.string(s.GetToken().Value)
			return
		}
	}
	w.problem(placeOf(n.GetToken()), pointer, "the tag "+quote(n.Start.Value), "none; a text that looks like something else may be quoted")
}

func (w *writer) scalar(n ast.Node, pointer string) {
	text := n.GetToken().Value
	switch n := n.(type) {
	case *ast.NullNode:
		w.out = append(w.out, "null"...)
	case *ast.BoolNode:
		w.out = fmt.Appendf(w.out, "%t", n.Value)
	case *ast.LiteralNode:
		w.string(n.Value.Value)
	case *ast.StringNode:
		if n.Token.Type == token.StringType && isNumber(text) { // too large, or with an exponent: still a number
			w.out = append(w.out, text...)
			return
		}
		w.string(n.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		if !isNumber(text) {
			w.problem(placeOf(n.GetToken()), pointer, "the number "+text, "a number as JSON writes it, such as 10 or -0.5, or a text in quotes")
			return
		}
		w.out = append(w.out, text...)
	default:
		w.problem(placeOf(n.GetToken()), pointer, "a value of an unknown kind", "text, a number, true, false, null, a list or a mapping")
	}
}

func (w *writer) string(text string) {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	}
	w.out = append(w.out, quoted...)
}

// isNumber tells whether text is a number by the grammar of JSON.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text))
}
