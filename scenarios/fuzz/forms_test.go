package fuzz

import (
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// Forms and multipart bodies are searched like JSON: the correct mock confuses none of their pairs, one that compares nothing all.
func TestFormsAndFilesAreSearched(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../suites/testdata/forms.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range search(t, Options{Config: serve(t, "", string(text)), Seed: 1, Cases: 60}).Operations {
		if len(op.Findings) > 0 || op.Pairs < 60 {
			t.Errorf("%s: %d findings in %d pairs", op.Name, len(op.Findings), op.Pairs)
		}
	}
	want := map[string][]string{
		"attach-form": {"form/encoded-plus", "form/repeated", "form/repeated-order", "form/value"},
		"attach-file": {"multipart/field", "multipart/file-bytes", "multipart/filename"},
	}
	for _, op := range search(t, Options{Config: serve(t, "mismatch-replays", string(text)), Seed: 1, Cases: 20}).Operations {
		var found []string
		for _, f := range op.Findings {
			if strings.HasPrefix(f.Rewrite, "form/") || strings.HasPrefix(f.Rewrite, "multipart/") {
				found = append(found, f.Rewrite)
			}
		}
		if slices.Sort(found); !slices.Equal(found, want[op.Name]) {
			t.Errorf("%s: found %v, want %v", op.Name, found, want[op.Name])
		}
	}
}

// A contract may say that only some fields count: what changes others replays, and a target that compares them too refuses it.
func TestAContractMayNameTheFieldsThatCount(t *testing.T) {
	t.Parallel()
	fields := []string{"/title", "/priority", "/details"}
	yaml := strings.Replace(ticketsYAML, "mode: semantic,", "mode: semantic, fields: [/title, /priority, /details],", 1)
	for _, knows := range []bool{true, false} {
		promised, err := contract.Profile("ietf-07")
		if err != nil {
			t.Fatal(err)
		}
		if knows {
			promised.Fingerprint.Fields = fields
		}
		api, err := mockapi.New(mockapi.Options{Contract: promised})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(api)
		t.Cleanup(func() { server.Close(); api.Close() })
		cfg, err := config.Parse("fields", []byte(yaml), nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Target.URL = server.URL
		op := search(t, Options{Config: cfg, Seed: 1, Cases: 300}).Operations[0]
		if f := op.finding("volatile/body-field"); knows && len(op.Findings) > 0 || !knows && (f == nil || f.Kind != fingerprint.FalseRefusal) {
			t.Errorf("a target that knows of the fields: %v: found %+v", knows, op.Findings)
		}
	}
}
