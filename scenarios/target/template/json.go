package template

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// JSON is a JSON value whose texts may hold placeholders. A text that is exactly one placeholder takes the type of what is
// filled in: a number stays a number, with its spelling. Names of members are no templates. It is read-only and safe for
// concurrent use.
type JSON struct {
	root   *rewrite.Node
	filled map[*rewrite.Node]*Template // texts that are not plain
	needs  []Placeholder
}

// ParseJSON reads a value. Errors of its templates are *Error, with the pointer of the text; several are joined, and the
// value is returned beside them without these templates.
func ParseJSON(value []byte) (*JSON, error) {
	root, err := rewrite.Parse(value)
	if err != nil {
		return nil, err
	}
	j := &JSON{root: root, filled: map[*rewrite.Node]*Template{}}
	return j, j.read(root, "")
}

func (j *JSON) read(n *rewrite.Node, at string) error {
	var problems []error
	for i, item := range n.Items {
		problems = append(problems, j.read(item, fmt.Sprintf("%s/%d", at, i)))
	}
	for _, m := range n.Members {
		problems = append(problems, j.read(m.Value, at+rewrite.Pointer{m.Key()}.String()))
	}
	if n.Kind == rewrite.String {
		problems = append(problems, j.readText(n, at))
	}
	return errors.Join(problems...)
}

func (j *JSON) readText(n *rewrite.Node, at string) error {
	text, err := jsontext.AppendUnquote(nil, n.Text)
	if err != nil {
		return nil // no UTF-8: sent as it is spelled
	}
	t, err := Parse(string(text))
	if bad := (*Error)(nil); errors.As(err, &bad) {
		bad.Pointer = at
	}
	if err != nil {
		return err
	}
	if len(t.parts) == 1 && t.parts[0].hole == nil && t.parts[0].text == string(text) {
		return nil
	}
	j.filled[n] = t
	for _, p := range t.Placeholders() {
		p.In = at
		j.needs = append(j.needs, p)
	}
	return nil
}

// Placeholders lists what the value needs, in document order. Their offsets are those in their own texts, which In names.
func (j *JSON) Placeholders() []Placeholder { return j.needs }

// Expand fills the value in and writes it without white space, in the order of its members, with numbers as they are spelled.
func (j *JSON) Expand(v Vars) ([]byte, error) {
	root, err := j.fill(j.root, v)
	if err != nil {
		return nil, err
	}
	return root.Append(nil), nil
}

func (j *JSON) fill(n *rewrite.Node, v Vars) (*rewrite.Node, error) {
	if t := j.filled[n]; t != nil {
		return t.node(v)
	}
	out := &rewrite.Node{Kind: n.Kind, Text: n.Text}
	for _, item := range n.Items {
		filled, err := j.fill(item, v)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, filled)
	}
	for _, m := range n.Members {
		filled, err := j.fill(m.Value, v)
		if err != nil {
			return nil, err
		}
		out.Members = append(out.Members, rewrite.Member{Name: m.Name, Value: filled})
	}
	return out, nil
}

// node fills the text in and returns it as a JSON value.
func (t *Template) node(v Vars) (*rewrite.Node, error) {
	if len(t.parts) == 1 && t.parts[0].hole != nil {
		return t.parts[0].hole.value(v)
	}
	text, err := t.Expand(v)
	if err != nil {
		return nil, err
	}
	return node(text)
}

// Merge lays patch over a JSON value as RFC 7396 does: objects member by member, everything else as a whole; null removes a
// member. The order of members and the spelling of what stays are kept.
func Merge(value, patch []byte) ([]byte, error) {
	into, err := rewrite.Parse(value)
	if err != nil {
		return nil, fmt.Errorf("value to merge into: %w", err)
	}
	over, err := rewrite.Parse(patch)
	if err != nil {
		return nil, fmt.Errorf("value to merge: %w", err)
	}
	return merge(into, over).Append(nil), nil
}

func merge(into, over *rewrite.Node) *rewrite.Node {
	if over.Kind != rewrite.Object {
		return over
	}
	out := &rewrite.Node{Kind: rewrite.Object}
	if into != nil && into.Kind == rewrite.Object {
		out.Members = append(out.Members, into.Members...)
	}
	for _, m := range over.Members {
		at := index(out, m.Key())
		switch {
		case m.Value.Kind == rewrite.Null && at >= 0:
			out.Members = append(out.Members[:at:at], out.Members[at+1:]...)
		case m.Value.Kind == rewrite.Null:
		case at >= 0:
			out.Members[at] = rewrite.Member{Name: out.Members[at].Name, Value: merge(out.Members[at].Value, m.Value)}
		default:
			out.Members = append(out.Members, rewrite.Member{Name: m.Name, Value: merge(nil, m.Value)})
		}
	}
	return out
}

func index(n *rewrite.Node, key string) int {
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key() == key {
			return i
		}
	}
	return -1
}
