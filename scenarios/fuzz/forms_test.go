package fuzz

import (
	"os"
	"slices"
	"strings"
	"testing"
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
