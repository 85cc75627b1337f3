package target

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestMakeUnique: the leaf gets another value of its kind, and all else stays as it was spelled.
func TestMakeUnique(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, pointer, want string }{
		{"text", `{"title":"t","n":1}`, "/title", `^\{"title":"t-tag00[0-9a-z]{11}","n":1\}$`},
		{"empty text", `{"title":""}`, "/title", `^\{"title":"tag00[0-9a-z]{11}"\}$`},
		{"spelling is kept", "{ \"a\" : 1.0e2,\n \"title\":\"t\" }\n", "/title", `^\{ "a" : 1\.0e2,\n "title":"t-tag00[0-9a-z]{11}" \}\n$`},
		{"nested", `{"a":[{"b~c/d":"x"}]}`, "/a/0/b~0c~1d", `^\{"a":\[\{"b~c/d":"x-tag00[0-9a-z]{11}"\}\]\}$`},
		{"number", `{"n":7}`, "/n", `^\{"n":1[0-9]{14}\}$`},
		{"digits", `{"n":"0007"}`, "/n", `^\{"n":"1[0-9]{14}"\}$`},
		{"e-mail", `{"m":"me@example.test"}`, "/m", `^\{"m":"me\.tag00[0-9a-z]{11}@example\.test"\}$`},
		{"UUID", `{"u":"8e03978e-40d5-43e8-bc93-6894a57f9324"}`, "/u", `^\{"u":"[0-9a-f-]{36}"\}$`},
		{"a name is no value", `{"title":{"x":"title"},"y":"t"}`, "/y", `^\{"title":\{"x":"title"\},"y":"t-`},
		{"the whole", `"t"`, "", `^"t-tag00`},
	}
	for _, tt := range tests {
		got, marker, err := makeUnique([]byte(tt.body), tt.pointer, "tag00")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if !regexp.MustCompile(tt.want).Match(got) || !strings.Contains(string(got), marker) || marker == "" {
			t.Errorf("%s: got %s with marker %q, want %s", tt.name, got, marker, tt.want)
		}
		again, other, _ := makeUnique([]byte(tt.body), tt.pointer, "tag00")
		if string(again) == string(got) || other == marker {
			t.Errorf("%s: two markers are the same", tt.name)
		}
	}
	for _, bad := range []struct{ body, pointer string }{
		{`{"a":1}`, "/b"}, {`{"a":{}}`, "/a"}, {`{"a":[]}`, "/a"}, {`{"a":true}`, "/a"}, {`{"a":null}`, "/a"}, {`no`, "/a"}, {``, "/a"}, {`{"a":`, "/b"},
	} {
		if got, _, err := makeUnique([]byte(bad.body), bad.pointer, "tag00"); err == nil {
			t.Errorf("%s in %s: want an error, got %s", bad.pointer, bad.body, got)
		}
	}
}

func FuzzMakeUnique(f *testing.F) {
	f.Add(`{"a":"b"}`, "/a")
	f.Add(`{"a":[1,{"b":"c"}]}`, "/a/1/b")
	f.Add(` { "a" : "é\u0000\"" } `, "/a")
	f.Fuzz(func(t *testing.T, body, pointer string) {
		got, _, err := makeUnique([]byte(body), pointer, "tag00")
		if err == nil && json.Valid([]byte(body)) && !json.Valid(got) {
			t.Errorf("%q with %q is no JSON any more: %q", body, pointer, got)
		}
	})
}
