package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestJSONOnStdoutIsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"run", "--json", "-c", serve(t, nil), "-r", "replay/one-effect"}, 0},
		{[]string{"run", "--json", "-c", serve(t, always(500, "boom")), "-r", "replay/one-effect"}, 3},
		{[]string{"plan", "--json"}, 0},
		{[]string{"list", "requirements", "--json"}, 0},
		{[]string{"list", "profiles", "--json"}, 0},
		{[]string{"list", "rewrites", "--json"}, 0},
		{[]string{"list", "mutants", "--json"}, 0},
		{[]string{"list", "scenarios", "--json"}, 0},
		{[]string{"mock", "--list-mutants", "--json"}, 0},
		{[]string{"schema", "config"}, 0},
		{[]string{"schema", "report"}, 0},
	} {
		t.Run(strings.Join(c.args[:2], " "), func(t *testing.T) {
			t.Parallel()
			e := oncespec(t, c.args...).want(t, c.code)
			d := json.NewDecoder(strings.NewReader(e.out))
			var doc any
			if err := d.Decode(&doc); err != nil {
				t.Fatalf("stdout is no JSON: %v\n%s", err, e.out)
			}
			if d.More() {
				t.Error("something follows the JSON")
			}
			if list, ok := doc.([]any); ok && len(list) == 0 {
				t.Error("the list is empty")
			}
		})
	}
}

func TestTheReportKeepsToItsSchema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(oncespec(t, "schema", "report").want(t, 0).out))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("report.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"-c", serve(t, nil), "-r", "replay/*"}, 0},
		{[]string{"-c", serve(t, always(500, "boom")), "-r", "replay/*"}, 3},
		{[]string{"--mutant", "mismatch-replays", "-r", "conflict/*", "--operation", "create-ticket"}, 1},
	} {
		e := oncespec(t, append([]string{"run", "--json"}, c.args...)...).want(t, c.code)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(e.out))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(doc); err != nil {
			t.Errorf("%v: %v", c.args, err)
		}
	}
}

func TestListOfMutantsHasTheDocumentedShape(t *testing.T) {
	t.Parallel()
	e := oncespec(t, "mock", "--list-mutants", "--json").want(t, 0)
	var raw []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(e.out), &raw); err != nil {
		t.Fatal(err)
	}
	if len(raw) < 25 {
		t.Errorf("%d mutants, want at least 25", len(raw))
	}
	operations := map[string]bool{"create-ticket": true, "create-payment": true, "close-ticket": true, "export-ticket": true, "put-label": true}
	for _, m := range raw {
		var name, defect, operation string
		var must, may []string
		for field, into := range map[string]any{"name": &name, "defect": &defect, "operation": &operation, "must": &must, "may": &may} {
			if err := json.Unmarshal(m[field], into); err != nil {
				t.Errorf("%s: %s: %v", m["name"], field, err)
			}
		}
		if len(m) != 5 {
			t.Errorf("%s has %d fields, want name, defect, operation, must, may", name, len(m))
		}
		if name == "" || !strings.HasSuffix(defect, ".") || !operations[operation] || len(must) == 0 || may == nil {
			t.Errorf("name %q, defect %q, operation %q, must %v, may %v", name, defect, operation, must, may)
		}
	}
	text := oncespec(t, "mock", "--list-mutants").want(t, 0).out
	if listed := oncespec(t, "list", "mutants").want(t, 0).out; text != listed {
		t.Errorf("mock --list-mutants and list mutants differ:\n%s\n%s", text, listed)
	}
}

func TestExplainGolden(t *testing.T) {
	t.Parallel()
	e := oncespec(t, "explain", "replay/one-effect").want(t, 0)
	path := filepath.Join("testdata", "explain.txt")
	if *update {
		if err := os.WriteFile(path, []byte(e.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(golden, []byte(e.out)) {
		t.Errorf("oncespec explain replay/one-effect says:\n%s\nexpected (go test ./cmd/oncespec -update rewrites it):\n%s", e.out, golden)
	}
}

func TestPlanContactsNobody(t *testing.T) {
	t.Parallel()
	e := oncespec(t, "plan", "-c", file(t, "oncespec.yaml", tickets("http://"+closedPort(t)))).want(t, 0)
	for _, text := range []string{"replay/again", "create-ticket", "not assessed", "target.lifecycle"} {
		if !strings.Contains(e.out, text) {
			t.Errorf("the plan does not say %q:\n%s", text, e.out)
		}
	}
	if strings.Contains(e.out, "crash/durable  create-ticket  K") {
		t.Errorf("a target that cannot be killed is planned to be killed:\n%s", e.out)
	}
}

func TestQuietSaysNothingButTheResult(t *testing.T) {
	t.Parallel()
	e := oncespec(t, "run", "-q", "-c", serve(t, nil), "-r", "replay/one-effect").want(t, 0)
	if e.err != "" {
		t.Errorf("stderr: %s", e.err)
	}
	if !strings.Contains(e.out, "conformant") {
		t.Errorf("stdout: %s", e.out)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"version", "--version"} {
		if e := oncespec(t, arg).want(t, 0); !strings.HasPrefix(e.out, "oncespec ") || strings.Count(e.out, "\n") != 1 {
			t.Errorf("oncespec %s prints %q", arg, e.out)
		}
	}
}
