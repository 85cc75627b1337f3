package rewrite

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// permission is what a rewrite needs to be allowed at the place where it acts.
type permission uint8

const (
	keeps   permission = iota // the meaning stays: any place will do
	changes                   // the place's value changes, within what its owner allows
	adds                      // something is added that is nobody's value
)

// inBody acts at one value of the JSON body.
type inBody struct {
	fits  func(s *Sample, p place) bool // values it can act on as they are; nil: none
	needs permission
	edit  func(e *edit) bool // changes B; A is the tree before

	plant    string             // JSON to put on both sides where nothing fits; empty: nothing
	below    string             // JSON Pointer inside the planted value to the place where it acts
	freeOnly bool               // plant into free-form objects only
	unless   func(*Sample) bool // plant nothing into samples of this kind
	homes    func(*Sample) Site // where to plant instead

	finish func(b *Request) // a change of the message around the body
}

// edit is a change of B in the making.
type edit struct {
	place
	grant
	s      *Sample
	root   *Node
	needs  permission
	choice int
}

func (r inBody) candidates(s *Sample) []Site {
	if s.root == nil {
		return nil
	}
	var out []Site
	if r.fits != nil {
		s.root.walk(func(p place) {
			if r.fits(s, p) {
				g, ok := s.grant(p.at, s.root)
				if r.needs != changes || ok {
					out = append(out, Site{At: p.at.String(), Guess: r.needs == changes && g.guess})
				}
			}
		})
	}
	switch {
	case r.homes != nil:
		out = append(out, r.homes(s))
	case r.plant != "" && (r.unless == nil || !r.unless(s)):
		out = append(out, s.homes(r.planted(), r.freeOnly)...)
	}
	return out
}

// planted is the value to plant, which is only read.
func (r inBody) planted() *Node {
	if node, known := plants.Load(r.plant); known {
		return node.(*Node)
	}
	node, err := Parse([]byte(r.plant))
	if err != nil {
		panic("rewrite: " + r.plant + ": " + err.Error()) // the catalogue's own text, which the tests parse
	}
	plants.Store(r.plant, node)
	return node
}

// plants are the catalogue's values to plant, by their text.
var plants sync.Map

func (r inBody) apply(s *Sample, site Site, choice int) (a, b Request, ok bool) {
	at, err := ParsePointer(site.At)
	if err != nil || s.root == nil {
		return a, b, false
	}
	before := s.root
	if site.Planted {
		if before, ok = plant(s.root, at, r.planted()); !ok {
			return a, b, false
		}
		below, _ := ParsePointer(r.below)
		at = at.join(below)
	}
	e := &edit{s: s, root: before.Clone(), needs: r.needs, choice: choice}
	if e.place, ok = e.root.find(at); !ok {
		return a, b, false
	}
	if !site.Planted && (r.fits == nil || !r.fits(s, e.place)) {
		return a, b, false
	}
	if e.grant, ok = s.grant(at, before); !ok && r.needs == changes {
		return a, b, false
	}
	if !r.edit(e) {
		return a, b, false
	}
	a, b = s.head(), s.head()
	if site.Planted {
		a.Body = before.Append(s.room())
	} else {
		a.Body = bytes.Clone(s.request.Body)
	}
	b.Body = e.root.Append(s.room())
	if r.finish != nil {
		r.finish(&b)
	}
	return a, b, true
}

// plant is a copy with a value put at a pointer.
func plant(root *Node, at Pointer, value *Node) (*Node, bool) {
	root = root.Clone()
	return root, root.put(at, value)
}

// put puts a value at a pointer, making one missing object above it.
func (n *Node) put(at Pointer, value *Node) bool {
	if len(at) == 0 {
		return false
	}
	parent, ok := n.At(at[:len(at)-1])
	if !ok && len(at) > 1 {
		above, found := n.At(at[:len(at)-2])
		if !found || above.Kind != Object {
			return false
		}
		parent, ok = &Node{Kind: Object}, true
		above.set(at[len(at)-2], parent)
	}
	last := at[len(at)-1]
	switch {
	case !ok:
		return false
	case parent.Kind == Object:
		parent.set(last, value)
	case parent.Kind == Array && parent.index(last) >= 0:
		parent.Items[parent.index(last)] = value
	default:
		return false
	}
	return true
}

// become gives the place another value, where that is allowed.
func (e *edit) become(value *Node) bool {
	if e.needs == changes && !e.rule.admits(value) {
		return false
	}
	*e.node = *value
	return true
}

// pick gives the place the chosen one of the values that are allowed there and mean something else than the present one.
func (e *edit) pick(values ...*Node) bool {
	values = slices.DeleteFunc(values, func(v *Node) bool {
		return v.same(e.node) || e.needs == changes && !e.rule.admits(v)
	})
	return len(values) > 0 && e.become(values[e.choice%len(values)])
}

// drop removes the place, where it may be absent.
func (e *edit) drop() bool {
	if e.parent == nil || e.parent.Kind != Object || e.needs == changes && !e.droppable {
		return false
	}
	e.parent.remove(e.index)
	return true
}

// beside adds a member next to the place, in front of it or after it. The name is a literal.
func (e *edit) beside(offset int, name string, value *Node) bool {
	if e.parent == nil || e.parent.Kind != Object || e.needs == changes && e.s.ignored(e.at[:len(e.at)-1].child(unquote(name))) {
		return false
	}
	e.parent.Members = slices.Insert(e.parent.Members, e.index+offset, Member{name, value})
	return true
}

// name is the literal name of the member at the place.
func (e *edit) name() string { return e.parent.Members[e.index].Name }

// neighbours are other values of the same type, close to the present one: the allowed words of a list, one more and one
// less, the last letter changed, the other truth value.
func neighbours(r *rule, n *Node) []*Node {
	if r != nil && len(r.enum) > 0 {
		return clones(r.enum)
	}
	switch n.Kind {
	case Number:
		return []*Node{number(step(n.Text, 1)), number(step(n.Text, -1))}
	case String:
		return nudged(unquote(n.Text))
	case Bool:
		return []*Node{boolean(n.Text == "false")}
	}
	return nil
}

func clones(nodes []*Node) []*Node {
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		out[i] = n.Clone()
	}
	return out
}

// nudged changes one letter or digit and keeps its class, so that dates, codes and identifiers keep their form.
func nudged(s string) []*Node {
	var out []*Node
	for i := len(s) - 1; i >= 0 && len(out) < 4; i-- {
		c := s[i]
		switch {
		case c == '0', c == 'a', c == 'A':
			c++
		case '1' <= c && c <= '9', 'b' <= c && c <= 'z', 'B' <= c && c <= 'Z':
			c--
		default:
			continue
		}
		out = append(out, text(s[:i]+string(c)+s[i+1:]))
	}
	if len(out) == 0 {
		out = append(out, text(s+"x"))
	}
	return out
}

// Predicates on places, to build fits from.

func isLeaf(p place) bool {
	return len(p.at) > 0 && (p.node.Kind == Bool || p.node.Kind == Number || p.node.Kind == String)
}

func is(kind Kind) func(*Sample, place) bool {
	return func(_ *Sample, p place) bool { return p.node.Kind == kind && len(p.at) > 0 }
}

func isText(test func(string) bool) func(*Sample, place) bool {
	return func(_ *Sample, p place) bool {
		return p.node.Kind == String && len(p.at) > 0 && test(unquote(p.node.Text))
	}
}

func spelt(literals ...string) func(*Sample, place) bool {
	return func(_ *Sample, p place) bool {
		return len(p.at) > 0 && len(p.node.Items)+len(p.node.Members) == 0 && slices.Contains(literals, p.node.String())
	}
}

func isMember(p place) bool { return p.parent != nil && p.parent.Kind == Object }

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' })
}

func isDigits(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}
