package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/schema"
)

const order = `{"ref":"m-1","amount":10,"code":"AB-123","lines":[{"sku":"a"}],"customer":{"name":"A","reference":"m-2"}}`

func sampleOf(t testing.TB, body string) *rewrite.Sample {
	t.Helper()
	s, err := rewrite.NewSample(rewrite.Request{Method: "POST", Path: "/v1/orders", Header: []rewrite.Field{{Name: "Content-Type", Value: "application/json"}}, Body: []byte(body)},
		rewrite.Policy{Unique: []string{"/ref"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDrawnBodiesFitAndKeepWhatIsPinned(t *testing.T) {
	t.Parallel()
	s, err := schema.Load("testdata/order.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate([]byte(order)); err != nil {
		t.Fatal(err)
	}
	sample := sampleOf(t, order)
	pinned := []string{"/ref", "/customer/reference"}
	bodies := rapid.Custom(func(t *rapid.T) string {
		changed, err := sample.With(s.Changes(t, sample, pinned)...)
		if err != nil {
			return err.Error()
		}
		return string(changed.Request().Body)
	})
	const draws = 400
	seen, unchanged := map[string]bool{}, 0
	for seed := range draws {
		body := bodies.Example(seed)
		if err := s.Validate([]byte(body)); err != nil {
			t.Fatalf("seed %d: %v: %s", seed, err, body)
		}
		var v struct {
			Ref      string
			Customer struct{ Reference string }
		}
		if err := json.Unmarshal([]byte(body), &v); err != nil || v.Ref != "m-1" || v.Customer.Reference != "m-2" {
			t.Fatalf("seed %d: what is pinned changed: %s", seed, body)
		}
		if body == order {
			unchanged++
		}
		for _, part := range []string{`"card"`, `"iban"`, `"note":null`, `"vip"`, `"n":`, `"labels":{"a"`, `"left"`, `"fixed":{"a":1}`, `"USD"`, `"mail"`, `2026-05-05T`} {
			if strings.Contains(body, part) {
				seen[part] = true
			}
		}
	}
	if len(seen) != 11 || unchanged > draws/10 {
		t.Errorf("of what may be there only %v was drawn; %d of %d bodies are the sample", seen, unchanged, draws)
	}
}

func TestASchemaSaysWhatMayVary(t *testing.T) {
	t.Parallel()
	s, err := schema.Load("testdata/order.json")
	if err != nil {
		t.Fatal(err)
	}
	root, err := rewrite.Parse([]byte(order))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, v := range s.Vary(root, []string{"/ref", "/customer/reference"}) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text)
	}
	want := map[string]string{
		"/amount":        `{"type":"integer","min":1,"max":49999}`,
		"/rate":          `{"type":"number","min":0,"max":0.5,"optional":true}`,
		"/currency":      `{"enum":["EUR","USD"],"optional":true,"default":"EUR"}`,
		"/code":          `{"type":"string","pattern":"^[A-Z]{2}-[0-9]{3}$"}`,
		"/note":          `{"type":"string","max":3,"optional":true}`,
		"/lines":         `{"type":"array","min":1,"max":3,"values":{"type":"object"}}`,
		"/customer/name": `{"type":"string","min":1,"max":2}`,
		"/customer/vip":  `{"type":"boolean","optional":true}`,
		"/labels":        `{"type":"object","optional":true,"values":{"type":"string","max":2}}`,
		"/fixed":         `{"enum":[{"a":1}],"optional":true}`,
	}
	for _, formatted := range []string{"/at", "/id", "/mail"} {
		if !strings.Contains(got[formatted], `"pattern":`) {
			t.Errorf("%s: %s, want a pattern for its format", formatted, got[formatted])
		}
		delete(got, formatted)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, method, path string
		good, bad          []string
	}{
		{"api30.yaml", "POST", "/v1/orders?dry=1", []string{`{"ref":"a","amount":1}`, `{"ref":"a","amount":10,"note":null}`, `{"ref":"a","amount":10,"note":"b"}`},
			[]string{`{"ref":"a"}`, `{"amount":1}`, `{"ref":"a","amount":0}`, `{"ref":"a","amount":11}`, `{"ref":"a","amount":1,"note":"c"}`}},
		{"api30.yaml", "PATCH", "/v1/orders/{setup.order:/id}", []string{`{"note":null}`, `{}`}, []string{`{"note":"long"}`, `[]`}},
		{"api31.yaml", "POST", "/v1/orders", []string{`{"ref":"a","amount":1,"line":{"sku":"s1"}}`, `{"ref":"a","amount":1,"note":"a"}`},
			[]string{`{"ref":"a","amount":0}`, `{"ref":"a","amount":1,"line":{"sku":"t1"}}`, `{"ref":"a","amount":1,"note":"b"}`}},
	} {
		s, err := schema.LoadOpenAPI(filepath.Join("testdata", c.file), c.method, c.path)
		if err != nil {
			t.Errorf("%s %s %s: %v", c.file, c.method, c.path, err)
			continue
		}
		for _, body := range c.good {
			if err := s.Validate([]byte(body)); err != nil {
				t.Errorf("%s %s: %s: %v", c.file, c.path, body, err)
			}
		}
		for _, body := range c.bad {
			if err := s.Validate([]byte(body)); err == nil {
				t.Errorf("%s %s: %s fits", c.file, c.path, body)
			}
		}
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		load func() (*schema.Schema, error)
		says string
	}{
		"no file":           {func() (*schema.Schema, error) { return schema.Load(filepath.Join(dir, "none.json")) }, "no such file"},
		"no JSON":           {func() (*schema.Schema, error) { return schema.Load(write("a.json", "{")) }, "no JSON"},
		"no YAML":           {func() (*schema.Schema, error) { return schema.Load(write("a.yaml", "a: [")) }, "no YAML"},
		"no schema":         {func() (*schema.Schema, error) { return schema.Load(write("b.json", `{"type":"text"}`)) }, "no JSON Schema"},
		"reference nowhere": {func() (*schema.Schema, error) { return schema.Load(write("c.json", `{"$ref":"#/$defs/x"}`)) }, "no JSON Schema"},
		"reference to a net": {func() (*schema.Schema, error) {
			return schema.Load(write("d.json", `{"$ref":"https://example.test/x.json"}`))
		}, "only files are followed"},
		"no OpenAPI": {func() (*schema.Schema, error) {
			return schema.LoadOpenAPI(write("e.yaml", "swagger: '2.0'"), "POST", "/")
		}, "openapi"},
		"no operation": {func() (*schema.Schema, error) {
			return schema.LoadOpenAPI("testdata/api30.yaml", "POST", "/v1/nothing")
		}, "no operation POST /v1/nothing"},
		"other method": {func() (*schema.Schema, error) { return schema.LoadOpenAPI("testdata/api30.yaml", "PUT", "/v1/orders") }, "no operation PUT"},
		"takes no JSON": {func() (*schema.Schema, error) {
			return schema.LoadOpenAPI("testdata/api30.yaml", "POST", "/orders/1/notes")
		}, "takes no JSON"},
	} {
		if _, err := c.load(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	s, err := schema.Load("testdata/order.json")
	if err != nil {
		t.Fatal(err)
	}
	for body, at := range map[string]string{strings.Replace(order, "10", "11", 1): "/amount", `{`: "JSON", strings.Replace(order, `"sku":"a"`, `"sku":""`, 1): "/lines/0/sku"} {
		if err := s.Validate([]byte(body)); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v, want %s named", body, err, at)
		}
	}
}

// FuzzLoad: no file brings it down; what is read can be drawn from.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"order.json", "line.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(`{"allOf":[{"$ref":"#"}]}`)
	f.Add(`{"properties":{"a":{"$ref":"#"}},"required":["a"]}`)
	f.Add(`{"type":"object","properties":{"a":{"type":"integer","minimum":5,"maximum":1}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "s.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := schema.Load(path)
		if err != nil {
			return
		}
		sample := sampleOf(t, `{"ref":"m","a":1}`)
		root, _ := rewrite.Parse([]byte(`{"ref":"m","a":1}`))
		s.Vary(root, []string{"/ref"})
		changes := example(func(t *rapid.T) []rewrite.Change { return s.Changes(t, sample, []string{"/ref"}) })
		if slices.ContainsFunc(changes, func(c rewrite.Change) bool { return c.At == "/ref" }) {
			t.Errorf("changed what is pinned: %v", changes)
		}
	})
}

// example draws once; rapid gives up on what nothing fits, such as a pattern without a match.
func example(draw func(*rapid.T) []rewrite.Change) (out []rewrite.Change) {
	defer func() {
		if e := recover(); e != nil && !strings.Contains(fmt.Sprint(e), "failed to generate an example") {
			panic(e)
		}
	}()
	return rapid.Custom(func(t *rapid.T) []rewrite.Change {
		rapid.Bool().Draw(t, "anything")
		return draw(t)
	}).Example(1)
}
