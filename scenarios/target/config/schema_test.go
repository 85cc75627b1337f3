package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write oncespec.schema.json from the types")

const module = "github.com/oncespec/oncespec"

// generate makes the schema from the types and the comments on them.
func generate(t *testing.T) []byte {
	t.Helper()
	r := jsonschema.Reflector{
		RequiredFromJSONSchemaTags: true,
		Mapper: func(typ reflect.Type) *jsonschema.Schema {
			switch typ {
			case reflect.TypeFor[time.Duration]():
				return &jsonschema.Schema{Type: "string", Pattern: durationPattern, Examples: []any{"300ms", "5s", "10m"}}
			case reflect.TypeFor[json.RawMessage]():
				return &jsonschema.Schema{}
			}
			return nil
		},
	}
	// The comments are found by paths relative to the root of the module.
	back, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", "..", ".."))
	for _, dir := range []string{"scenarios/target/config", "scenarios/rewrite", "mockapi/contract"} {
		if err := r.AddGoComments(module, dir, jsonschema.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(back)
	for name, comment := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(comment), " ")
	}
	schema := r.Reflect(&Config{})
	schema.ID = ""
	schema.Title = "oncespec.yaml"
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	want := generate(t)
	if *update {
		if err := os.WriteFile("oncespec.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(Schema(), want) {
		t.Error("oncespec.schema.json is not what the types say; write it anew with: go test ./scenarios/target/config -update")
	}
}

func TestTheExamplesKeepToTheSchema(t *testing.T) {
	t.Parallel()
	doc, err := validator.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	if err := compiler.AddResource("schema", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(examples) < 2 {
		t.Fatalf("examples %v (%v), want at least two", examples, err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, problems := read(path, text)
		if problems != nil {
			t.Fatal(problems)
		}
		value, err := validator.UnmarshalJSON(bytes.NewReader(d.json))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
