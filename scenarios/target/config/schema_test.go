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

	"github.com/oncespec/oncespec/mockapi/contract"
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
	words(schema)
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

// words adds the words that a contract's parameters take. One type stands for several parameters, each with words of its own,
// so they stand where the type is used.
func words(schema *jsonschema.Schema) {
	block := schema.Definitions["Contract"].Properties
	for parameter := block.Oldest(); parameter != nil; parameter = parameter.Next() {
		name, property := parameter.Key, parameter.Value
		switch {
		case property.Items != nil:
			property.Items.Enum = allowed(name, false)
		case property.Type == "string":
			property.Enum = allowed(name, true)
		}
		_, of, _ := strings.Cut(property.Ref, "#/$defs/")
		if of == "" {
			continue
		}
		parts := jsonschema.NewProperties()
		for part := schema.Definitions[of].Properties.Oldest(); part != nil; part = part.Next() {
			if enum := allowed(name+"."+part.Key, true); enum != nil {
				parts.Set(part.Key, &jsonschema.Schema{Enum: enum})
			}
		}
		if parts.Len() > 0 {
			property.Properties = parts
		}
	}
}

// allowed lists the words of a parameter; the empty one means unspecified, where a parameter is a word and no list of them.
func allowed(path string, unspecified bool) (enum []any) {
	for _, word := range contract.Allowed(path) {
		enum = append(enum, word)
	}
	if enum != nil && unspecified {
		enum = append(enum, "")
	}
	return enum
}

// TestTheSchemaNamesTheWordsOfAContract: an editor offers them, and marks any other.
func TestTheSchemaNamesTheWordsOfAContract(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		`{action: refuse, statuses: [422]}`: true,
		`{action: ""}`:                      true,
		`{action: independent}`:             false, // a word of other_operation
		`{action: refuze}`:                  false,
	} {
		d, problems := read("words.yaml", []byte("target: {url: 'http://127.0.0.1:1'}\noperations: {}\ncontract: {mismatch: "+text+", scope: [account]}\n"))
		if problems != nil {
			t.Fatal(problems)
		}
		value, err := validator.UnmarshalJSON(bytes.NewReader(d.json))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled().Validate(value); (err == nil) != valid {
			t.Errorf("mismatch: %s: expected valid %v, found %v", text, valid, err)
		}
	}
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
