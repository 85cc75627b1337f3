package rewrite

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestParseKeepsLiteralsOrderAndRepeatedNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, out string }{
		{` { "b" : 1.50 , "a" : 2E+3 } `, `{"b":1.50,"a":2E+3}`},
		{`{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{`"\u00e9\/é"`, `"\u00e9\/é"`},
		{`"\ud800"`, `"\ud800"`},
		{"\"\xff\"", "\"\xff\""},
		{`[-0,0.10,1e400,null,true,false,"",[],{}]`, `[-0,0.10,1e400,null,true,false,"",[],{}]`},
		{`{"\u0061":1}`, `{"\u0061":1}`},
		{"\t7\r\n", "7"},
	} {
		node, err := Parse([]byte(test.in))
		if err != nil {
			t.Errorf("%q: %v", test.in, err)
		} else if got := node.String(); got != test.out {
			t.Errorf("%q printed as %q, want %q", test.in, got, test.out)
		}
	}
}

func TestParseSaysWhereItFailed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in     string
		offset int64
	}{
		{``, 0},
		{`{"a":1`, 6},
		{`{"a":01}`, 6},
		{`{"a" 1}`, 5},
		{`{a:1}`, 1},
		{`[1,]`, 2}, // the comma is one too many
		{`{"a":1}x`, 7},
		{`"\x"`, 1},
		{`{"a":tru}`, 8},
		{`{1:2}`, 1},
	} {
		_, err := Parse([]byte(test.in))
		var at *ParseError
		if !errors.As(err, &at) {
			t.Errorf("%q: error %v, want a *ParseError", test.in, err)
		} else if at.Offset != test.offset {
			t.Errorf("%q: failed at byte %d, want %d (%v)", test.in, at.Offset, test.offset, err)
		}
	}
}

func TestParseBoundsDepthAndSize(t *testing.T) {
	t.Parallel()
	nested := func(depth int) []byte {
		return []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
	}
	if _, err := Parse(nested(MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
	if _, err := Parse(nested(MaxDepth + 1)); !errors.Is(err, errTooDeep) {
		t.Errorf("%d levels: %v, want %v", MaxDepth+1, err, errTooDeep)
	}
	if _, err := Parse(bytes.Repeat([]byte(" "), MaxBytes+1)); !errors.Is(err, errTooLarge) {
		t.Errorf("too many bytes: %v, want %v", err, errTooLarge)
	}
}

func TestPointersNameValues(t *testing.T) {
	t.Parallel()
	root, err := Parse([]byte(`{"foo":["bar","baz"],"":0,"a/b":1,"m~n":2,"~1":3,"dup":1,"dup":2,"\u00e9":4}`))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/": "0", "/a~1b": "1", "/m~0n": "2", "/~01": "3", "/dup": "2", "/é": "4",
		"": root.String(), "/foo/2": "", "/foo/00": "", "/foo/-": "", "/foo/-1": "", "/no": "", "/foo/bar/x": "", "/foo/+1": "",
	} {
		at, err := ParsePointer(pointer)
		if err != nil {
			t.Errorf("%s: %v", pointer, err)
			continue
		}
		if at.String() != pointer {
			t.Errorf("%s printed as %s", pointer, at)
		}
		got := ""
		if node, ok := root.At(at); ok {
			got = node.String()
		}
		if got != want {
			t.Errorf("%s names %q, want %q", pointer, got, want)
		}
	}
	for _, wrong := range []string{"foo", "/a~", "/~2", "#/a", "/a~0~"} {
		if _, err := ParsePointer(wrong); err == nil {
			t.Errorf("%q is no JSON Pointer, but was taken", wrong)
		}
	}
}

func TestDiffPointers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want string
	}{
		{`{"a":1,"b":{"c":[1,2]}}`, `{"a":1, "b":{"c":[1,2]}}`, ""},
		{`{"a":1}`, `{"a":1.0}`, "/a"},
		{`{"a":{"b":[1,2]}}`, `{"a":{"b":[2,1]}}`, "/a/b/0 /a/b/1"},
		{`{"a":[1]}`, `{"a":[1,1]}`, "/a/1"},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, "(all)"},
		{`{"x":{"a":1,"b":2}}`, `{"x":{"b":3,"a":1}}`, "/x/b /x"},
		{`{"a":1}`, `{"b":1}`, "/a /b"},
		{`{"a":1}`, `{"\u0061":1}`, "/a"},
		{`{"a":{"x":1}}`, `{"a":{"x":1,"x":2}}`, "/a"},
		{`{"a":"1"}`, `{"a":1}`, "/a"},
		{`{"a/b":1}`, `{"a/b":2}`, "/a~1b"},
		{`{}`, `{}x`, "(all)"},
	} {
		got := strings.Join(DiffPointers([]byte(test.a), []byte(test.b)), " ")
		if len(DiffPointers([]byte(test.a), []byte(test.b))) == 1 && got == "" {
			got = "(all)"
		}
		if got != test.want {
			t.Errorf("%s against %s: %q, want %q", test.a, test.b, got, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, e := range examples {
		f.Add([]byte(e.a))
		f.Add([]byte(e.b))
	}
	f.Add(richRequest().Body)
	f.Fuzz(func(t *testing.T, text []byte) {
		node, err := Parse(text)
		if err != nil {
			if at := (*ParseError)(nil); !errors.As(err, &at) || at.Offset < 0 || at.Offset > int64(len(text)) {
				t.Fatalf("%q: error %v has no offset in the text", text, err)
			}
			return
		}
		once := node.Append(nil)
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("%q printed as %q: %v", text, once, err)
		}
		if twice := again.Append(nil); !bytes.Equal(once, twice) {
			t.Fatalf("%q printed as %q, then as %q", text, once, twice)
		}
		if !node.same(again) || !node.same(node.Clone()) {
			t.Fatalf("%q does not mean the same as itself", text)
		}
		for _, l := range []layout{pretty, spaced, crlf} {
			loose, err := Parse(node.print(nil, l, 0))
			if err != nil || !bytes.Equal(loose.Append(nil), once) {
				t.Fatalf("%q changed with its white space: %v", text, err)
			}
		}
		if diff := DiffPointers(text, once); len(diff) != 0 {
			t.Fatalf("%q differs from its print at %q", text, diff)
		}
	})
}

func FuzzParsePointer(f *testing.F) {
	for _, seed := range []string{"", "/", "/a/b", "/~0~1", "/~", "a", "/é/0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := ParsePointer(s); err == nil && p.String() != s {
			t.Fatalf("%q printed as %q", s, p)
		}
	})
}

// FuzzSample makes every pair of an arbitrary body: nothing may panic, and no marker may change.
func FuzzSample(f *testing.F) {
	for i, e := range examples {
		if !testing.Short() || i%8 == 0 {
			f.Add([]byte(e.a), e.query)
		}
	}
	f.Add(richRequest().Body, richRequest().RawQuery)
	f.Fuzz(func(t *testing.T, body []byte, query string) {
		if len(body) > 4096 || len(query) > 256 {
			return
		}
		request := Request{Method: "POST", Path: "/a", RawQuery: query, Header: []Field{{"Content-Type", "application/json"}}, Body: body}
		var policy Policy
		if root, err := Parse(body); err == nil && root.Kind == Object && len(root.Members) > 0 && !root.repeats() {
			policy.Unique = []string{Pointer{root.Members[0].Key()}.String()}
		}
		s, err := NewSample(request, policy)
		if err != nil {
			return
		}
		for _, r := range Catalogue() {
			for _, site := range r.Sites(s) {
				pair, ok := r.Apply(s, site, 1)
				if !ok {
					t.Fatalf("%s at %+v: choice 1 is not valid", r.ID, site)
				}
				for _, pointer := range policy.Unique {
					at, _ := ParsePointer(pointer)
					before, _ := s.root.At(at)
					b, err := Parse(pair.B.Body)
					if err != nil {
						continue
					}
					after, found := b.At(at)
					if r.ID != "syntax/array-wrapped" && (!found || !after.same(before)) {
						t.Fatalf("%s at %+v changed the marker: %s", r.ID, site, pair.B.Body)
					}
				}
			}
		}
	})
}
