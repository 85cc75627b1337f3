package provider

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestPointer(t *testing.T) {
	t.Parallel()
	const document = ` {"a":{"b":[1, {"c~/d":"x"}], "":null}, "a2":"y", "a2":"z"} `
	for pointer, want := range map[string]string{
		"":                strings.TrimSpace(document),
		"/a/b/0":          "1",
		"/a/b/1/c~0~1d":   `"x"`,
		"/a/":             "null",
		"/a2":             `"z"`,
		"/a/b/2":          "",
		"/a/b/-1":         "",
		"/a/b/00":         "",
		"/a/b/0/c":        "",
		"/a2/x":           "",
		"a":               "",
		"/a/b/1/c~0~1d/e": "",
	} {
		if got := string(at([]byte(document), pointer)); got != want {
			t.Errorf("%q: got %s, want %s", pointer, got, want)
		}
	}
}

func FuzzPointer(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":{"b":[1,"x"]}}`, "/a/b/1"}, {`[[[]]]`, "/0/0/0"}, {`{"~/":1}`, "/~0~1"}, {"", "/"}, {"null", "/a"}, {`{"a":1e400}`, "/a"},
	} {
		f.Add([]byte(seed[0]), seed[1])
	}
	f.Fuzz(func(t *testing.T, document []byte, pointer string) {
		value := at(document, pointer)
		if pointer != "" && value != nil && !json.Valid(value) {
			t.Errorf("%q in %q is %q, which is no JSON", pointer, document, value)
		}
		scalar(value)
	})
}

func FuzzFindKey(f *testing.F) {
	f.Add(`"k"`, "token=k", []byte(`{"k":"v"}`))
	f.Add(`"`, "token=%zz", []byte(`{"k":1}`))
	f.Add(`"a\"b"`, "", []byte(`{"k":{}}`))
	f.Fuzz(func(t *testing.T, header, query string, body []byte) {
		values, _ := url.ParseQuery(query)
		h := http.Header{"Idempotency-Key": {header}}
		if got := (KeyAt{Header: "Idempotency-Key"}).find(h, values, body); len(got) > len(header) {
			t.Errorf("key %q is longer than the field %q", got, header)
		}
		(KeyAt{Query: "token"}).find(h, values, body)
		(KeyAt{Body: "/k"}).find(h, values, body)
	})
}

func FuzzTemplate(f *testing.F) {
	f.Add(`{"id":"{id}","a":{body:/a},"b":"{body:/b}","p":"{path:p}"}`, "k", []byte(`{"a":[1],"b":"x\"y"}`), "p\"")
	f.Fuzz(func(t *testing.T, template, key string, body []byte, path string) {
		fields{"bk_1", key, body, map[string]string{"p": path}}.fill(template, true)
		// Whatever strings are filled in, JSON stays JSON.
		safe := fields{"bk_1", key, body, map[string]string{"p": path}}.fill(`{"id":"{id}","key":"{key}","p":"{path:p}"}`, true)
		if !json.Valid([]byte(safe)) {
			t.Errorf("no JSON any more: %s", safe)
		}
	})
}
