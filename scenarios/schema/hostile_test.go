package schema_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/schema"
)

// api is an OpenAPI file with one operation, whose body has this schema.
func api(version, body string) string {
	return fmt.Sprintf(`{"openapi":%q,"info":{"title":"t","version":"1"},"paths":{"/x":{"post":{"requestBody":{"content":{"application/json":{"schema":%s}}},"responses":{"200":{"description":"d"}}}}}}`, version, body)
}

// No file brings the loaders down, makes them ask the network, or read what is no plain file without end.
func TestHostileFilesAreRefusedOrRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := false
	net := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = true; w.Write([]byte(`{"type":"object"}`)) }))
	t.Cleanup(net.Close)
	n := 0
	write := func(text string) string {
		n++
		path := filepath.Join(dir, fmt.Sprintf("%d.json", n))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		ref := fmt.Sprintf("*a%d", i)
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(ref+", ", 9), ", "))
	}
	deep := strings.Repeat(`{"properties":{"a":`, 3000) + "{}" + strings.Repeat("}}", 3000)
	never := "/dev/zero"
	for name, c := range map[string]struct {
		text, path string
		says       string // of the error; empty: it may be read
	}{
		"truncated":               {text: `{"openapi":"3.0.3","paths":{`, says: "no "},
		"binary":                  {text: "\x00\x01\xff\xfe", says: "no "},
		"empty":                   {text: "", says: "no "},
		"a list":                  {text: "[1,2]", says: "no "},
		"a folder":                {path: dir, says: "expected a file"},
		"no end":                  {path: never, says: "expected a file"},
		"huge":                    {text: `{"x":"` + strings.Repeat("a", 17<<20) + `"}`, says: "expected a file of at most"},
		"aliases of aliases":      {text: bomb, says: "no "},
		"needs itself":            {text: `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}`},
		"is itself":               {text: `{"$ref":"#"}`},
		"nested without end":      {text: deep, says: "at most 500 levels"},
		"refers to the network":   {text: `{"properties":{"a":{"$ref":"` + net.URL + `/a.json"}}}`, says: "only files are followed"},
		"refers to a missing one": {text: `{"properties":{"a":{"$ref":"none.json"}}}`, says: "no such file"},
		"refers to itself in API": {text: api("3.1.0", `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/paths/~1x/post/requestBody/content/application~1json/schema"}}}`), says: ""},
	} {
		path := c.path
		if path == "" {
			path = write(c.text)
		}
		s, err := schema.Load(path)
		if c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: read as a schema, %v; want %q", name, err, c.says)
		}
		if err == nil {
			drawn(t, s)
		}
		for _, text := range []string{"3.0.3", "3.1.0"} {
			path := path
			if strings.HasPrefix(c.text, "{") && !strings.Contains(c.text, "openapi") && len(c.text) < largeText {
				path = write(api(text, c.text))
			}
			s, err := schema.LoadOpenAPI(path, "POST", "/x")
			if c.says == "only files are followed" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%s: read as OpenAPI, %v; want %q", name, err, c.says)
			}
			if err == nil {
				drawn(t, s)
			}
		}
	}
	if asked {
		t.Error("the network was asked")
	}
}

const largeText = 1 << 20

func drawn(t *testing.T, s *schema.Schema) {
	t.Helper()
	sample := sampleOf(t, `{"ref":"m","a":1}`)
	example(func(t *rapid.T) []rewrite.Change { return s.Changes(t, sample, []string{"/ref"}) })
}

// FuzzLoadOpenAPI: no file brings it down; what is read can be drawn from.
func FuzzLoadOpenAPI(f *testing.F) {
	for _, name := range []string{"api30.yaml", "api31.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(api("3.1.0", `{"allOf":[{"$ref":"#/components/schemas/none"}]}`))
	f.Add(api("3.0.0", `{"type":"integer","minimum":5,"exclusiveMinimum":true,"nullable":true}`))
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{"/x", "/v1/orders"} {
			if s, err := schema.LoadOpenAPI(path, "POST", at); err == nil {
				drawn(t, s)
			}
		}
	})
}
