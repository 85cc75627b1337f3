package mutants_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// operations are those of the built-in configuration.
var operations = []string{"create-ticket", "create-payment", "close-ticket", "export-ticket", "put-label"}

func TestMutantsAreWellFormed(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)
	seen := map[string]bool{}
	for _, m := range append(mutants.List(), mutants.OnPostgres()...) {
		t.Run(m.Name, func(t *testing.T) {
			if !name.MatchString(m.Name) || seen[m.Name] {
				t.Errorf("name %q: expected lower-case words joined by hyphens, once", m.Name)
			}
			seen[m.Name] = true
			if !strings.HasSuffix(m.Defect, ".") || strings.Count(m.Defect, ". ") > 0 || len(m.Defect) > 140 {
				t.Errorf("defect %q: expected one short sentence", m.Defect)
			}
			if _, stage := reflect.TypeFor[flow.Stages]().FieldByName(m.Stage); !stage && m.Stage != "Store" {
				t.Errorf("stage %q: expected one of flow.Stages, or Store", m.Stage)
			}
			if !slices.Contains(operations, m.Operation) {
				t.Errorf("operation %q: expected one of %v", m.Operation, operations)
			}
			if m.Install == nil {
				t.Error("it installs nothing")
			}
			if len(m.Must) == 0 {
				t.Error("it fails no requirement, so it proves none")
			}
			for _, id := range m.Must {
				known(t, id)
			}
			for _, may := range m.May {
				known(t, may.ID)
				if may.Why == "" {
					t.Errorf("%s: a may needs its reason", may.ID)
				}
				if slices.Contains(m.Must, may.ID) {
					t.Errorf("%s is both must and may", may.ID)
				}
			}
		})
	}
	if len(seen) < 60 {
		t.Errorf("%d mutants, expected 60 or more", len(seen))
	}
}

func known(t *testing.T, id string) {
	t.Helper()
	id, part, _ := strings.Cut(id, "#")
	requirement, found := catalogue.Find(id)
	if !found {
		t.Errorf("there is no requirement %s", id)
	}
	if part != "" && requirement.Pack() == "fingerprint" {
		if _, found := rewrite.Find(part); !found {
			t.Errorf("requirement %s: there is no rewrite %s", id, part)
		}
	}
	if part != "" && len(requirement.Parts) > 0 && !slices.ContainsFunc(requirement.Parts, func(p catalogue.Part) bool { return p.ID == part }) {
		t.Errorf("requirement %s has no part %s", id, part)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"check-then-insrt": `did you mean "check-then-insert"`,
		"5xx-store":        `did you mean "5xx-stored"`,
		"xyz":              "`oncespec list mutants`",
	} {
		if _, err := mutants.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find(%q): got %v, want %q in it", name, err, want)
		}
	}
	if m, err := mutants.Find("5xx-stored"); err != nil || m.Name != "5xx-stored" {
		t.Errorf("Find(5xx-stored): got %q, %v", m.Name, err)
	}
}

func TestJSONForm(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(mutants.Mutant{Name: "n", Defect: "d", Stage: "s", Operation: "o", Must: []string{"a/b"}, May: []mutants.May{{ID: "c/d", Why: "w"}}})
	if want := `{"name":"n","defect":"d","operation":"o","must":["a/b"],"may":["c/d"]}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	if text, err = json.Marshal(mutants.Mutant{}); err != nil || !strings.Contains(string(text), `"must":[],"may":[]`) {
		t.Errorf("got %s, %v, want empty lists, not null", text, err)
	}
}
