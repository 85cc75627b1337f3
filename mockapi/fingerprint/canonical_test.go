package fingerprint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

func TestCanonicalForm(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, body, want string }{
		{"white space", " {\t\"a\" : [ 1 , 2 ]\r\n} \n", `{"a":[1,2]}`},
		{"literals", `[null,true,false]`, `[null,true,false]`},
		{"scalars", ` "x" `, `"x"`},
		{"empty", `{"a":{},"b":[]}`, `{"a":{},"b":[]}`},
		{"members in order, arrays as they are", `{"b":[3,1,2],"a":{"d":1,"c":2}}`, `{"a":{"c":2,"d":1},"b":[3,1,2]}`},
		{"names that look like integers are ordered as text", `{"10":1,"9":2,"1":3}`, `{"1":3,"10":1,"9":2}`},
		{"a prefix comes first", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"order of RFC 8785, 3.2.3", `{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{"two characters beyond the basic plane", `{"😁":1,"😀":2,"x😀":3,"x\uffff":4}`, "{\"x😀\":3,\"x\uffff\":4,\"😀\":2,\"😁\":1}"},
		{"escapes", `"\u0041\/\"\\\b\f\n\r\t\u0001\u001F\u2028\u003c\u007f\ud83d\ude00"`, "\"A/\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u2028<\u007f😀\""},
		{"escapes in names", `{"\u0061":1}`, `{"a":1}`},
		{"no normalisation", "\"\u00e9 e\u0301\"", "\"\u00e9 e\u0301\""},
		{"NUL", `"\u0000"`, `"\u0000"`},
		{"prototype members are members", `{"__proto__":{"a":1}}`, `{"__proto__":{"a":1}}`},
		{"names that differ in case", `{"b":1,"B":2}`, `{"B":2,"b":1}`},
		{"numbers", `[1999.0,1.999e3,-0,9007199254740993,1e400,333333333.33333329]`, `[1999,1999,0,9007199254740993,1e+400,333333333.33333329]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := fingerprint.Canonical([]byte(tc.body))
			if err != nil || string(got) != tc.want {
				t.Errorf("found %s, %v, expected %s", got, err, tc.want)
			}
		})
	}
}

func TestCanonicalRefusesWithTheOffset(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tc := range []struct {
		name, body string
		kind       fingerprint.Kind
		offset     int64
	}{
		{"empty", "", fingerprint.Syntax, 0},
		{"white space only", " \n", fingerprint.Syntax, 2},
		{"a second value", "1 2", fingerprint.TrailingData, 2},
		{"garbage after", `{"a":1}x`, fingerprint.TrailingData, 7},
		{"a comment after", "1 // x", fingerprint.TrailingData, 2},
		{"a comment", "/* */ 1", fingerprint.Syntax, 0},
		{"a byte order mark", "\ufeff{}", fingerprint.Syntax, 0},
		{"UTF-16", "{\x00}\x00", fingerprint.Syntax, 1},
		{"unfinished array", "[1", fingerprint.Syntax, 2},
		{"unfinished string", `"abc`, fingerprint.Syntax, 4},
		{"trailing comma", "[1,]", fingerprint.Syntax, 2},
		{"wrong bracket", "[1}", fingerprint.Syntax, 2},
		{"leading zero", "[01]", fingerprint.Syntax, 2},
		{"a name that is no string", "{1:2}", fingerprint.Syntax, 1},
		{"unknown escape", `"\x"`, fingerprint.Syntax, 1},
		{"control character", "\"a\nb\"", fingerprint.Syntax, 2},
		{"duplicate", `{"a":1,"a":1}`, fingerprint.DuplicateName, 7},
		{"duplicate, spelt otherwise", `{"a":1,"\u0061":2}`, fingerprint.DuplicateName, 7},
		{"duplicate inside", `{"x":{"a":1,"a":2}}`, fingerprint.DuplicateName, 12},
		{"duplicate objects", `{"a":{"b":1},"a":{"c":1}}`, fingerprint.DuplicateName, 13},
		{"first half of a pair", `["\ud800"]`, fingerprint.LoneSurrogate, 2},
		{"first half before text", `["\uD83Dx"]`, fingerprint.LoneSurrogate, 2},
		{"second half", `["x\udc00"]`, fingerprint.LoneSurrogate, 3},
		{"two first halves", `"\ud800\ud800"`, fingerprint.LoneSurrogate, 1},
		{"half a pair in a name", `{"\ud800":1}`, fingerprint.LoneSurrogate, 2},
		{"a byte that is no UTF-8", "[\"a\xff\"]", fingerprint.InvalidUTF8, 3},
		{"a surrogate as UTF-8", "\"\xed\xa0\x80\"", fingerprint.InvalidUTF8, 1},
		{"an overlong NUL", "\"\xc0\x80\"", fingerprint.InvalidUTF8, 1},
		{"too deep", deep(fingerprint.MaxDepth + 1), fingerprint.TooDeep, fingerprint.MaxDepth},
		{"far too deep", deep(1_000_000), fingerprint.TooDeep, fingerprint.MaxDepth},
		{"objects too deep", strings.Repeat(`{"a":`, 2000), fingerprint.TooDeep, 5 * fingerprint.MaxDepth},
		{"exponent out of range", `[1, 1e9999999999999999999]`, fingerprint.NumberRange, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := fingerprint.Canonical([]byte(tc.body))
			var e *fingerprint.Error
			if !errors.As(err, &e) || got != nil {
				t.Fatalf("expected an Error, found %s, %v", got, err)
			}
			if e.Kind != tc.kind || e.Offset != tc.offset {
				t.Errorf("found %s at %d (%v), expected %s at %d", e.Kind, e.Offset, err, tc.kind, tc.offset)
			}
		})
	}
	if _, err := fingerprint.Canonical([]byte(deep(fingerprint.MaxDepth))); err != nil {
		t.Errorf("%d levels: %v", fingerprint.MaxDepth, err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	type o = fingerprint.Options
	for _, tc := range []struct {
		name       string
		o          o
		body, want string
	}{
		{"excluded member", o{Exclude: []string{"/id"}}, `{"id":1,"a":2}`, `{"a":2}`},
		{"excluded member that is not there", o{Exclude: []string{"/id"}}, `{"a":2}`, `{"a":2}`},
		{"excluded inside", o{Exclude: []string{"/a/b~1c/0"}}, `{"a":{"b/c":[1,2]}}`, `{"a":{"b/c":[null,2]}}`},
		{"excluded object", o{Exclude: []string{"/a"}}, `{"a":{"b":1},"c":1}`, `{"c":1}`},
		{"excluded twice", o{Exclude: []string{"/a", "/a/b", "/a"}}, `{"a":{"b":1}}`, `{}`},
		{"excluded items keep their places", o{Exclude: []string{"/0", "/1"}}, `[1,2,3]`, `[null,null,3]`},
		{"no item", o{Exclude: []string{"/9", "/-", "/00", "/x", "/-1"}}, `[1]`, `[1]`},
		{"below a scalar", o{Exclude: []string{"/a/b"}}, `{"a":1}`, `{"a":1}`},
		{"the whole body", o{Exclude: []string{""}}, `{"a":1}`, `null`},
		{"a set", o{Sets: []string{"/tags"}}, `{"tags":["b","a","b"],"x":[2,1]}`, `{"tags":["a","b","b"],"x":[2,1]}`},
		{"a set of objects", o{Sets: []string{""}}, `[{"b":2,"a":1},{"a":0}]`, `[{"a":0},{"a":1,"b":2}]`},
		{"sets in a set", o{Sets: []string{"", "/0"}}, `[[2,1],[1,2]]`, `[[1,2],[1,2]]`},
		{"pointers mean the body as sent", o{Sets: []string{""}, Exclude: []string{"/0/id"}}, `[{"id":9,"a":2},{"id":1,"a":1}]`, `[{"a":1,"id":1},{"a":2}]`},
		{"a set that is an object", o{Sets: []string{"/a"}}, `{"a":{"c":2,"b":1}}`, `{"a":{"b":1,"c":2}}`},
		{"an empty set", o{Sets: []string{"/a"}}, `{"a":[]}`, `{"a":[]}`},
		{"null is absent", o{NullIsAbsent: true}, `{"a":null,"b":{"c":null},"d":[null]}`, `{"b":{},"d":[null]}`},
		{"null is null", o{}, `{"a":null}`, `{"a":null}`},
		{"NFC", o{NFC: true}, "{\"e\u0301\":\"e\u0301\"}", "{\"\u00e9\":\"\u00e9\"}"},
		{"NFC in a pointer", o{NFC: true, Exclude: []string{"/e\u0301"}}, "{\"\u00e9\":1}", "{}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.o.Canonical([]byte(tc.body))
			if err != nil || string(got) != tc.want {
				t.Errorf("found %s, %v, expected %s", got, err, tc.want)
			}
		})
	}
	_, err := o{NFC: true}.Canonical([]byte("{\"e\u0301\":1,\"\u00e9\":2}"))
	var e *fingerprint.Error
	if !errors.As(err, &e) || e.Kind != fingerprint.DuplicateName {
		t.Errorf("names that are equal in NFC: expected a duplicate, found %v", err)
	}
}
