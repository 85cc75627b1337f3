package fingerprint

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 1000

// node is a value of a body: a scalar with its canonical text, an array or an object.
type node struct {
	kind    jsontext.Kind
	scalar  []byte
	items   []*node
	members []member
	set     bool // an array whose order does not count
}

type member struct {
	name  string
	value *node
}

// parser reads one body into nodes.
type parser struct {
	body    []byte
	decoder *jsontext.Decoder
	options Options
}

func parse(body []byte, o Options) (*node, error) {
	p := parser{body: body, decoder: jsontext.NewDecoder(bytes.NewBuffer(body)), options: o}
	root, err := p.value()
	if err != nil {
		return nil, err
	}
	end := p.decoder.InputOffset()
	for end < int64(len(body)) && bytes.IndexByte([]byte(" \t\r\n"), body[end]) >= 0 {
		end++
	}
	if end < int64(len(body)) {
		return nil, &Error{Kind: TrailingData, Offset: end, Detail: "expected the end of the body after its one value"}
	}
	return root, nil
}

func (p *parser) value() (*node, error) {
	token, err := p.decoder.ReadToken()
	if err != nil {
		return nil, p.explain(err)
	}
	switch kind := token.Kind(); kind {
	case '{', '[':
		if p.decoder.StackDepth() > MaxDepth {
			return nil, &Error{Kind: TooDeep, Offset: p.decoder.InputOffset() - 1, Detail: "expected at most " + strconv.Itoa(MaxDepth) + " levels of arrays and objects"}
		}
		if kind == '{' {
			return p.object()
		}
		return p.array()
	case '"':
		text, err := jsontext.AppendQuote(nil, p.text(token))
		if err != nil {
			return nil, p.explain(err)
		}
		return &node{kind: kind, scalar: text}, nil
	case '0':
		literal := token.String()
		text, err := Number(literal)
		if err != nil {
			var e *Error
			if errors.As(err, &e) {
				e.Offset = p.decoder.InputOffset() - int64(len(literal))
			}
			return nil, err
		}
		return &node{kind: kind, scalar: []byte(text)}, nil
	default: // null, false, true
		return &node{kind: kind, scalar: []byte(token.String())}, nil
	}
}

func (p *parser) array() (*node, error) {
	n := &node{kind: '['}
	for p.decoder.PeekKind() != ']' {
		item, err := p.value()
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err := p.decoder.ReadToken()
	return n, p.explain(err)
}

func (p *parser) object() (*node, error) {
	n := &node{kind: '{'}
	for p.decoder.PeekKind() != '}' {
		token, err := p.decoder.ReadToken()
		if err != nil {
			return nil, p.explain(err)
		}
		name := p.text(token)
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		if value.kind == 'n' && p.options.NullIsAbsent {
			continue
		}
		n.members = append(n.members, member{name, value})
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return nil, p.explain(err)
	}
	slices.SortFunc(n.members, func(a, b member) int { return compareUTF16(a.name, b.name) })
	for i := 1; i < len(n.members); i++ {
		if n.members[i].name == n.members[i-1].name { // only normalisation can make them equal
			return nil, &Error{Kind: DuplicateName, Offset: p.decoder.InputOffset() - 1, Detail: "two names of this object are equal once normalised to NFC: " + strconv.Quote(n.members[i].name)}
		}
	}
	return n, nil
}

func (p *parser) text(token jsontext.Token) string {
	if p.options.NFC {
		return norm.NFC.String(token.String())
	}
	return token.String()
}

func (p *parser) explain(err error) error {
	if err == nil {
		return nil
	}
	if err == io.EOF {
		return &Error{Kind: Syntax, Offset: int64(len(p.body)), Detail: "expected a JSON value, found the end of the body", err: io.ErrUnexpectedEOF}
	}
	return explain(p.body, err, p.decoder.InputOffset())
}

// at finds the value that a pointer names, and the one that holds it; nil where there is none.
func (n *node) at(pointer jsontext.Pointer) (value, holder *node, name string) {
	value = n
	for token := range pointer.Tokens() {
		holder, name, value = value, token, value.child(token)
		if value == nil {
			return nil, nil, ""
		}
	}
	return value, holder, name
}

func (n *node) child(token string) *node {
	switch n.kind {
	case '[':
		if i, ok := index(token); ok && i < len(n.items) {
			return n.items[i]
		}
	case '{':
		if i := n.find(token); i >= 0 {
			return n.members[i].value
		}
	}
	return nil
}

func (n *node) find(name string) int {
	return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
}

// index reads an array index as RFC 6901 writes it: no sign, no leading zero.
func index(token string) (int, bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == token
}

// exclude makes the value at a pointer not count: a member is removed, an item becomes null so that the others keep their
// places, and the whole body becomes null.
func (n *node) exclude(pointer jsontext.Pointer) {
	value, holder, name := n.at(pointer)
	switch {
	case value == nil:
	case holder == nil || holder.kind == '[':
		*value = node{kind: 'n', scalar: []byte("null")}
	default:
		i := holder.find(name)
		holder.members = slices.Delete(holder.members, i, i+1)
	}
}

// keep leaves what is at one of the places, with what holds it, and tells whether anything is. An item that holds nothing of it
// becomes null where another follows, so that the others keep their places.
func (n *node) keep(places [][]string) (some bool) {
	if slices.ContainsFunc(places, func(at []string) bool { return len(at) == 0 }) {
		return true
	}
	below := func(name string) (out [][]string) {
		for _, at := range places {
			if at[0] == name {
				out = append(out, at[1:])
			}
		}
		return out
	}
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return !m.value.keep(below(m.name)) })
	last := -1
	for i, item := range n.items {
		if item.keep(below(strconv.Itoa(i))) {
			last = i
		} else {
			*item = node{kind: 'n', scalar: []byte("null")}
		}
	}
	n.items = n.items[:last+1]
	return len(n.members)+len(n.items) > 0
}

func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case '{':
		dst = append(dst, '{')
		for i, m := range n.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, _ = jsontext.AppendQuote(dst, m.name) // valid UTF-8: the decoder gave it
			dst = append(dst, ':')
			dst = m.value.append(dst)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		if n.set {
			return append(n.appendSorted(dst), ']')
		}
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.scalar...)
}

// appendSorted writes the items of a set in the order of their canonical text. Equal items all stay.
func (n *node) appendSorted(dst []byte) []byte {
	texts := make([][]byte, len(n.items))
	for i, item := range n.items {
		texts[i] = item.append(nil)
	}
	slices.SortFunc(texts, bytes.Compare)
	return append(dst, bytes.Join(texts, []byte(","))...)
}

// compareUTF16 orders as RFC 8785 does: by UTF-16 code units, where characters beyond the basic plane come before U+E000.
func compareUTF16(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	for i > 0 && !(utf8.RuneStart(a[i]) && utf8.RuneStart(b[i])) {
		i-- // both differ within a character: back to where it starts
	}
	ra, _ := utf8.DecodeRuneInString(a[i:])
	rb, _ := utf8.DecodeRuneInString(b[i:])
	return firstUnit(ra, rb) - firstUnit(rb, ra)
}

// firstUnit is what r counts as against other: its first UTF-16 code unit, or itself where both need two units.
func firstUnit(r, other rune) int {
	if r >= 0x10000 && other < 0x10000 {
		return 0xd800
	}
	return int(r)
}
