package suites_test

import (
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// formVerdicts runs the fingerprint pack against an operation of testdata/forms.yaml, served in this process.
func formVerdicts(t *testing.T, mutant, operation string) map[string]verdict.Verdict {
	t.Helper()
	api, err := mockapi.New(mockapi.Options{Mutant: mutant})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(api)
	server.Config.Protocols = mockapi.Protocols()
	server.Start()
	t.Cleanup(func() { server.Close(); api.Close() })
	text, err := os.ReadFile("testdata/forms.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("forms", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target.URL = server.URL
	report := finished(t, suites.Options{Config: cfg, Selection: run.Selection{Packs: []string{"fingerprint"}, Operations: []string{operation}}, Out: t.TempDir()})
	out := map[string]verdict.Verdict{}
	for _, v := range report.Verdicts {
		out[v.Name()] = v
	}
	return out
}

// TestFormsAndFilesAreExercised: each rewrite of a form or of parts is judged, and the correct mock passes it.
func TestFormsAndFilesAreExercised(t *testing.T) {
	t.Parallel()
	for operation, wanted := range map[string][]string{
		"attach-form": {
			"other-meaning#form/value", "other-meaning#form/encoded-plus", "other-meaning#form/repeated", "other-meaning#form/repeated-order",
			"same-meaning#form/name-order", "same-meaning#form/percent-case", "same-meaning#form/plus", "same-meaning#form/over-encoded",
			"same-meaning#protocol/http2", "same-meaning#encoding/gzip", "same-meaning#framing/chunked-same",
		},
		"attach-file": {
			"other-meaning#multipart/file-bytes", "other-meaning#multipart/field", "other-meaning#multipart/filename",
			"same-meaning#multipart/same-bytes", "same-meaning#multipart/boundary", "same-meaning#multipart/part-header-case", "same-meaning#multipart/part-order",
			"same-meaning#protocol/http2",
		},
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			got := formVerdicts(t, "", operation)
			for _, name := range wanted {
				if v := got["fingerprint/"+name]; v.Verdict != verdict.Pass {
					t.Errorf("%s: %s %s, want a pass", name, v.Verdict, v.Detail)
				}
			}
			for name, v := range got {
				if v.Verdict != verdict.Pass && v.Verdict != verdict.NotAssessed {
					t.Errorf("%s: %s %s", name, v.Verdict, v.Detail)
				}
			}
		})
	}
}

// TestFormsComparedByBytesAreCaught: a server that compares bytes refuses each other spelling, and one that ignores the body
// replays each other meaning; nothing else is held against them.
func TestFormsComparedByBytesAreCaught(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mutant, operation, family string
		refused                   []string
	}{
		{"fingerprint-raw-bytes", "attach-form", "form/", []string{"form/name-order", "form/over-encoded", "form/percent-case", "form/plus"}},
		{"fingerprint-raw-bytes", "attach-file", "multipart/", []string{"multipart/boundary", "multipart/part-header-case", "multipart/part-order"}},
		{"mismatch-replays", "attach-form", "form/", []string{"form/encoded-plus", "form/repeated", "form/repeated-order", "form/value"}},
		{"mismatch-replays", "attach-file", "multipart/", []string{"multipart/field", "multipart/file-bytes", "multipart/filename"}},
	} {
		t.Run(c.mutant+" "+c.operation, func(t *testing.T) {
			t.Parallel()
			var failed []string
			for name, v := range formVerdicts(t, c.mutant, c.operation) {
				_, part, _ := strings.Cut(name, "#")
				if strings.HasPrefix(part, c.family) && (v.Verdict == verdict.Fail || v.Verdict == verdict.Warn) {
					failed = append(failed, part)
				}
			}
			if slices.Sort(failed); !slices.Equal(failed, c.refused) {
				t.Errorf("failed %v, want %v", failed, c.refused)
			}
		})
	}
}
