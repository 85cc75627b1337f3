package rewrite

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Node is a JSON value that keeps what decoders drop: the order of members, members of one name, and the text of every
// number, string and name as it was written. The zero value is no valid node; Parse makes them.
type Node struct {
	Kind    Kind
	Text    string   // null, booleans, numbers and strings: the literal, a string with its quotes
	Items   []*Node  // Array
	Members []Member // Object
}

// Member is one member of an object.
type Member struct {
	Name  string // the literal, with its quotes
	Value *Node
}

// Key is the member's decoded name.
func (m Member) Key() string { return unquote(m.Name) }

// Decoded is what a string says; empty for any other kind.
func (n *Node) Decoded() string {
	if n.Kind != String {
		return ""
	}
	return unquote(n.Text)
}

// Clone copies the tree. The nodes of a copy share memory, but no two of them the same: searches copy a tree for each request.
func (n *Node) Clone() *Node {
	var c cloner
	c.count(n)
	c.nodes, c.items, c.members = make([]Node, c.all), make([]*Node, c.inArrays), make([]Member, c.inObjects)
	return c.clone(n)
}

// cloner copies a tree into memory that was counted first.
type cloner struct {
	all, inArrays, inObjects int
	nodes                    []Node
	items                    []*Node
	members                  []Member
}

func (c *cloner) count(n *Node) {
	c.all++
	c.inArrays += len(n.Items)
	c.inObjects += len(n.Members)
	for _, item := range n.Items {
		c.count(item)
	}
	for _, m := range n.Members {
		c.count(m.Value)
	}
}

func (c *cloner) clone(n *Node) *Node {
	out := &c.nodes[0]
	c.nodes = c.nodes[1:]
	out.Kind, out.Text = n.Kind, n.Text
	if n.Items != nil {
		out.Items, c.items = c.items[:len(n.Items):len(n.Items)], c.items[len(n.Items):] // what is appended goes elsewhere
		for i, item := range n.Items {
			out.Items[i] = c.clone(item)
		}
	}
	if n.Members != nil {
		out.Members, c.members = c.members[:len(n.Members):len(n.Members)], c.members[len(n.Members):]
		for i, m := range n.Members {
			out.Members[i] = Member{m.Name, c.clone(m.Value)}
		}
	}
	return out
}

// At finds the value a pointer names. Of members with one name it takes the last, as most decoders do.
func (n *Node) At(p Pointer) (*Node, bool) {
	for _, token := range p {
		i := n.index(token)
		if i < 0 {
			return nil, false
		}
		n = n.child(i)
	}
	return n, true
}

// index is the place of the child that a pointer's token names, or -1.
func (n *Node) index(token string) int {
	switch n.Kind {
	case Object:
		for i := len(n.Members) - 1; i >= 0; i-- {
			if n.Members[i].Key() == token {
				return i
			}
		}
	case Array:
		i, err := strconv.Atoi(token)
		if err == nil && 0 <= i && i < len(n.Items) && strconv.Itoa(i) == token {
			return i
		}
	}
	return -1
}

func (n *Node) child(i int) *Node {
	if n.Kind == Array {
		return n.Items[i]
	}
	return n.Members[i].Value
}

func (n *Node) remove(i int) {
	if n.Kind == Array {
		n.Items = append(n.Items[:i:i], n.Items[i+1:]...)
	} else {
		n.Members = append(n.Members[:i:i], n.Members[i+1:]...)
	}
}

// set replaces the last member of that name, or adds one.
func (n *Node) set(name string, value *Node) {
	if i := n.index(name); i >= 0 {
		n.Members[i].Value = value
		return
	}
	n.Members = append(n.Members, Member{quote(name), value})
}

// place is a node and where it was found.
type place struct {
	at      Pointer // of a walk: only while it visits the place
	node    *Node
	parent  *Node // nil at the root
	index   int   // in the parent
	inArray bool  // an array is above it
}

// walk visits every node, parents first, in document order.
func (n *Node) walk(visit func(place)) {
	var down func(place)
	down = func(p place) {
		visit(p)
		for i, item := range p.node.Items {
			down(place{append(p.at, strconv.Itoa(i)), item, p.node, i, true})
		}
		for i, m := range p.node.Members {
			down(place{append(p.at, m.Key()), m.Value, p.node, i, p.inArray})
		}
	}
	down(place{at: make(Pointer, 0, 16), node: n})
}

// find returns the place that a pointer names.
func (n *Node) find(p Pointer) (place, bool) {
	out := place{at: p, node: n}
	for _, token := range p {
		i := out.node.index(token)
		if i < 0 {
			return place{}, false
		}
		out.inArray = out.inArray || out.node.Kind == Array
		out.parent, out.index, out.node = out.node, i, out.node.child(i)
	}
	return out, true
}

// same tells whether two values mean the same: exact decimals, decoded text, member order ignored. Objects that repeat a
// name mean nothing certain and equal only their own spelling.
func (n *Node) same(o *Node) bool {
	if n.Kind != o.Kind {
		return false
	}
	switch n.Kind {
	case Number:
		return compareNumbers(n.Text, o.Text) == 0
	case String:
		return unquote(n.Text) == unquote(o.Text)
	case Array:
		if len(n.Items) != len(o.Items) {
			return false
		}
		for i := range n.Items {
			if !n.Items[i].same(o.Items[i]) {
				return false
			}
		}
		return true
	case Object:
		if n.repeats() || o.repeats() {
			return string(n.Append(nil)) == string(o.Append(nil))
		}
		if len(n.Members) != len(o.Members) {
			return false
		}
		for _, m := range n.Members {
			i := o.index(m.Key())
			if i < 0 || !m.Value.same(o.Members[i].Value) {
				return false
			}
		}
		return true
	}
	return n.Text == o.Text
}

// repeats tells whether a name occurs twice.
func (n *Node) repeats() bool {
	seen := make(map[string]bool, len(n.Members))
	for _, m := range n.Members {
		if seen[m.Key()] {
			return true
		}
		seen[m.Key()] = true
	}
	return false
}

func text(s string) *Node         { return &Node{Kind: String, Text: quote(s)} }
func number(literal string) *Node { return &Node{Kind: Number, Text: literal} }
func boolean(b bool) *Node        { return &Node{Kind: Bool, Text: strconv.FormatBool(b)} }

// quote writes text as a JSON string with as few escapes as possible. Bytes that are no UTF-8 become U+FFFD.
func quote(s string) string {
	out, _ := jsontext.AppendQuote(make([]byte, 0, len(s)+2), s) // the error only reports invalid UTF-8
	return string(out)
}

// unquote decodes a JSON string. Lone surrogates and bytes that are no UTF-8 become U+FFFD.
func unquote(literal string) string {
	plain := true
	for i := 0; i < len(literal); i++ {
		if literal[i] == '\\' || literal[i] >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return literal[1 : len(literal)-1]
	}
	out, _ := jsontext.AppendUnquote(nil, literal) // the error only reports invalid UTF-8
	return string(out)
}
