package fingerprint_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
	"pgregory.net/rapid"
)

// tree is a JSON value that keeps its order and the text of its scalars.
type tree struct {
	kind  byte   // '{', '[' or 's' for a scalar
	text  string // of a scalar
	names []string
	items []*tree
}

// names collide often and straddle the places where UTF-8 and UTF-16 order differ.
var someNames = rapid.StringOfN(rapid.SampledFrom([]rune("ab\u00e9\ue000\uffff😀😁")), 0, 2, -1)

func trees(depth int) *rapid.Generator[*tree] {
	return rapid.Custom(func(t *rapid.T) *tree {
		kinds := []byte("ssn[{")
		if depth == 0 {
			kinds = kinds[:3]
		}
		switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
		case '[':
			return &tree{kind: '[', items: rapid.SliceOfN(trees(depth-1), 0, 4).Draw(t, "items")}
		case '{':
			names := rapid.SliceOfNDistinct(someNames, 0, 5, rapid.ID).Draw(t, "names")
			items := make([]*tree, len(names))
			for i := range items {
				items[i] = trees(depth-1).Draw(t, "member")
			}
			return &tree{kind: '{', names: names, items: items}
		case 'n':
			return &tree{kind: 's', text: rapid.SampledFrom([]string{"0", "1", "-1", "10", "0.1", "1999", "9007199254740992", "1e21", "1e-7", "12.5"}).Draw(t, "number")}
		default:
			return &tree{kind: 's', text: rapid.OneOf(
				rapid.SampledFrom([]string{"null", "true", "false", `""`}),
				rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune("a\"\\/\n\u0001\u00e9\u2028<😀")), 0, 3, -1), quote),
			).Draw(t, "scalar")}
		}
	})
}

func quote(s string) string {
	text, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// print writes a tree with a spelling drawn by choose, which returns a number below its argument.
func (n *tree) print(b *strings.Builder, choose func(int) int) {
	space := func() { b.WriteString([]string{"", " ", "\n", "\t "}[choose(4)]) }
	space()
	switch n.kind {
	case '[':
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.print(b, choose)
		}
		space()
		b.WriteByte(']')
	case '{':
		order := make([]int, len(n.items))
		for i := range order {
			j := choose(i + 1)
			order[i], order[j] = order[j], i
		}
		b.WriteByte('{')
		for i, at := range order {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			b.WriteString(respell(quote(n.names[at]), choose))
			space()
			b.WriteByte(':')
			n.items[at].print(b, choose)
		}
		space()
		b.WriteByte('}')
	default:
		b.WriteString(respell(n.text, choose))
	}
	space()
}

// respell writes a scalar otherwise: escapes in a string, zeros and an exponent in a number.
func respell(text string, choose func(int) int) string {
	switch {
	case text[0] == '"':
		plain, err := jsontext.AppendUnquote(nil, text)
		if err != nil {
			panic(err)
		}
		var b strings.Builder
		b.WriteByte('"')
		for _, r := range string(plain) {
			switch {
			case choose(3) == 0 && r < 0x10000:
				fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[choose(2)], r)
			case r == '/' && choose(2) == 0:
				b.WriteString(`\/`)
			default:
				b.WriteString(strings.Trim(quote(string(r)), `"`))
				if r == '"' {
					b.WriteByte('"')
				}
			}
		}
		b.WriteByte('"')
		return b.String()
	case strings.IndexByte("-0123456789", text[0]) >= 0:
		plain := !strings.ContainsAny(text, ".eE")
		switch way := choose(4); {
		case way == 1 && !strings.ContainsAny(text, "eE"):
			return text + "e0"
		case way == 2 && plain:
			return text + ".0"
		case way == 3 && plain && strings.Trim(text, "-0") != "":
			return text + "0e-1"
		}
	}
	return text
}

func plainly(int) int { return 0 }

func (n *tree) String() string {
	var b strings.Builder
	n.print(&b, plainly)
	return b.String()
}

func TestSpellingDoesNotCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := trees(4).Draw(t, "value")
		var a, b strings.Builder
		choose := func(k int) int { return rapid.IntRange(0, k-1).Draw(t, "choice") }
		n.print(&a, plainly)
		n.print(&b, choose)
		first, err := fingerprint.Canonical([]byte(a.String()))
		if err != nil {
			t.Fatal("refused a body:", err)
		}
		second, err := fingerprint.Canonical([]byte(b.String()))
		if err != nil {
			t.Fatal("refused the same body in another spelling:", err)
		}
		if !bytes.Equal(first, second) {
			t.Fatalf("two spellings, two forms\n%s\n%s", first, second)
		}
		library := jsontext.Value(b.String())
		if err := library.Canonicalize(); err != nil || !bytes.Equal(first, library) {
			t.Fatalf("not the form of RFC 8785, though every number is exact in float64\n%s\n%s", first, library)
		}
	})
}

func TestMeaningCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := trees(4).Draw(t, "value")
		before := n.String()
		change(t, n)
		after := n.String()
		first, err := fingerprint.Canonical([]byte(before))
		if err != nil {
			t.Fatal("refused a body:", err)
		}
		second, err := fingerprint.Canonical([]byte(after))
		if err != nil {
			t.Fatal("refused the changed body:", err)
		}
		if bytes.Equal(first, second) {
			t.Fatal("a changed meaning has the same form")
		}
	})
}

// change makes one leaf of a value another one, or lengthens a container.
func change(t *rapid.T, n *tree) {
	for len(n.items) > 0 && rapid.Bool().Draw(t, "deeper") {
		n = rapid.SampledFrom(n.items).Draw(t, "child")
	}
	switch {
	case n.kind == '[':
		n.items = append(n.items, &tree{kind: 's', text: "null"})
	case n.kind == '{':
		n.names, n.items = append(n.names, "new"), append(n.items, &tree{kind: 's', text: "null"})
	case n.text[0] == '"':
		n.text = rapid.SampledFrom([]string{n.text[:len(n.text)-1] + " \"", n.text[:len(n.text)-1] + "\\u0000\"", `"🙈"`, "7"}).Draw(t, "leaf")
	case strings.IndexByte("-0123456789", n.text[0]) >= 0:
		n.text = rapid.SampledFrom([]string{"9007199254740993", "0.10000000000000001", "1e400", quote(n.text), `"7"`}).Draw(t, "leaf")
	default:
		n.text = rapid.SampledFrom([]string{"0.5", `"null"`, "[]", "{}"}).Draw(t, "leaf")
	}
}

// FuzzCanonical holds that the form is a fixed point and valid JSON, and that errors point into the body.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":1.0,"a":[1e400,-0,"\u0041\ud83d\ude00"]}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", "1 2", "[[[[", `{"a":null}`, "", "1e99999999999999999999"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		kept := bytes.Clone(body)
		form, err := fingerprint.Canonical(body)
		if !bytes.Equal(kept, body) {
			t.Fatal("the body was changed")
		}
		if err != nil {
			var e *fingerprint.Error
			if !errors.As(err, &e) || e.Kind == "" || e.Offset < 0 || e.Offset > int64(len(body)) {
				t.Fatalf("%q: error %v", body, err)
			}
			if e.Kind != fingerprint.TooDeep && e.Kind != fingerprint.NumberRange && jsontext.Value(body).IsValid() {
				t.Fatalf("%q is valid, but: %v", body, err)
			}
			return
		}
		if !jsontext.Value(form).IsValid() || bytes.ContainsAny(form, "\n\r\t") {
			t.Fatalf("%q: the form %q is no compact JSON", body, form)
		}
		if again, err := fingerprint.Canonical(form); err != nil || !bytes.Equal(form, again) {
			t.Fatalf("%q: form %q, whose form is %q, %v", body, form, again, err)
		}
	})
}

// FuzzReordering holds that member order and white space do not count, and item order does.
func FuzzReordering(f *testing.F) {
	for _, seed := range []string{`{"b":1,"a":{"d":1,"c":[1,2]}}`, `[{"a":1,"b":2},{"\ue000":1,"\ud83d\ude00":2}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		form, err := fingerprint.Canonical(body)
		if err != nil {
			return
		}
		n := treeOf(jsontext.NewDecoder(bytes.NewReader(body)))
		var b strings.Builder
		n.print(&b, func(k int) int { return k / 2 })
		if other, err := fingerprint.Canonical([]byte(b.String())); err != nil || !bytes.Equal(form, other) {
			t.Fatalf("%q has the form %q, in another spelling, %q, %q, %v", body, form, b.String(), other, err)
		}
	})
}

func treeOf(d *jsontext.Decoder) *tree {
	switch kind := d.PeekKind(); kind {
	case '[', '{':
		n := &tree{kind: byte(kind)}
		end := jsontext.Kind(']')
		if kind == '{' {
			end = '}'
		}
		mustRead(d.ReadToken())
		for d.PeekKind() != end {
			if kind == '{' {
				n.names = append(n.names, mustRead(d.ReadToken()).String())
			}
			n.items = append(n.items, treeOf(d))
		}
		mustRead(d.ReadToken())
		return n
	default:
		return &tree{kind: 's', text: string(mustRead(d.ReadValue()))}
	}
}

func mustRead[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
