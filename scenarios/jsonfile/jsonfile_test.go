package jsonfile_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/jsonfile"
)

type thing struct {
	Schema string        `json:"schema"`
	Count  int           `json:"count"`
	Inner  []inner       `json:"inner"`
	Within time.Duration `json:"within"`
}

type inner struct {
	Name string `json:"name"`
}

const schema = "thing/v1"

func TestWhatIsWrongIsSaidWithItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"whole":               {"{\"schema\":\"thing/v1\",\"count\":2,\"within\":1000}", nil},
		"empty":               {"", []string{"f.json:1:1", "empty"}},
		"truncated":           {"{\"schema\":\"thing/v1\",\n \"count\":", []string{"f.json:2:", "is it whole?"}},
		"truncated in a text": {"{\"schema\":\"thing/v1\",\"inner\":[{\"name\":\"ab", []string{"f.json:1:", "is it whole?"}},
		"another version":     {"{\n \"schema\":\"thing/v9\", \"new\": true}", []string{"f.json:2:11: schema is \"thing/v9\", this version reads \"thing/v1\""}},
		"no schema":           {"{}", []string{"f.json:1:1", "names no schema"}},
		"no object":           {"[]", []string{"f.json:1:", "an array"}},
		"wrong type":          {"{\"schema\":\"thing/v1\",\n  \"count\": \"two\"}", []string{"f.json:2:", "/count", "a string"}},
		"wrong type, deep":    {"{\"schema\":\"thing/v1\",\n\"inner\":[{\"name\":\"a\"},\n{\"name\":7}]}", []string{"f.json:3:", "/inner/1/name", "a string"}},
		"not whole":           {"{\"schema\":\"thing/v1\",\n\"count\":1.5}", []string{"/count: found 1.5, expected a whole number"}},
		"unknown field":       {"{\"schema\":\"thing/v1\",\n\"inner\":[{\"nam\":\"a\"}]}", []string{"f.json:2:", "/inner/0/nam", "no such field"}},
		"twice":               {"{\"schema\":\"thing/v1\",\"count\":1,\n\"count\":2}", []string{"f.json:2:", "/count", "duplicate"}},
		"two documents":       {"{\"schema\":\"thing/v1\"}\n{}", []string{"f.json:2:1", "no valid JSON"}},
		"no JSON":             {"{\"schema\":\"thing/v1\",\n  count: 1}", []string{"f.json:2:3", "no valid JSON"}},
		"another case":        {"{\"schema\":\"thing/v1\",\"Count\":1}", []string{"/Count", "no such field"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got thing
			err := jsonfile.Decode("f.json", []byte(c.text), schema, &got)
			if (err == nil) != (c.want == nil) {
				t.Fatalf("found %v", err)
			}
			if err == nil {
				if got.Count != 2 || got.Within != time.Microsecond {
					t.Errorf("found %+v", got)
				}
				return
			}
			var e *jsonfile.Error
			if !errors.As(err, &e) {
				t.Errorf("found a %T", err)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

func TestAValueIsFoundByItsPointer(t *testing.T) {
	t.Parallel()
	const text = "{\n \"inner\": [\n  {\"name\": \"a\"},\n  {\"name\": \"b\"}\n ],\n \"a/b\": 1\n}"
	for pointer, want := range map[string]string{
		"":              "f:1:1: ",
		"/inner":        "f:2:11: /inner: ",
		"/inner/1":      "f:4:3: ",
		"/inner/1/name": "f:4:12: ",
		"/a~1b":         "f:6:9: ",
		"/none":         "f:1:1: ",
	} {
		if err := jsonfile.At("f", []byte(text), pointer, "wrong"); !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "wrong") {
			t.Errorf("%s: found %q, expected %q", pointer, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "{", `{"schema":"thing/v1","count":1}`, `{"schema":"thing/v1","inner":[{"name":"a"},{"x":1}]}`, "{\"schema\":\"\xff\"}", "[1,"} {
		f.Add([]byte(seed), "/inner/0")
	}
	f.Fuzz(func(t *testing.T, data []byte, pointer string) {
		var got thing
		err := jsonfile.Decode("f", data, schema, &got)
		var e *jsonfile.Error
		if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Detail == "") {
			t.Errorf("an error without a place: %#v", err)
		}
		if err == nil && got.Schema != schema {
			t.Errorf("took the schema %q", got.Schema)
		}
		jsonfile.At("f", data, pointer, "wrong")
	})
}
