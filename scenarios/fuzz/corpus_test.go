package fuzz

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/scenarios/jsonfile"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const goodCase = `{
  "schema": "oncespec.fuzzcase/v1",
  "operation": "create-ticket",
  "trial": {"rewrite": "number/beyond-2^53", "site": {"at": "/details/oncespec", "planted": true}},
  "kind": "false replay",
  "detail": "found once",
  "seed": 7
}
`

func TestAFindingIsKeptAndTriedFirst(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pairs")
	wrong := serve(t, "fingerprint-float64", ticketsYAML)
	first := search(t, Options{Config: wrong, Seed: 1, Corpus: dir, Rewrites: []string{"number/beyond-2^53"}, Cases: 20})
	if err := WriteCorpus(dir, first); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 || first.Operations[0].Findings[0].Case != files[0] {
		t.Fatalf("files %v, %v", files, err)
	}
	before, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}

	again := search(t, Options{Config: wrong, Seed: 2, Corpus: dir, Cases: 20}).Operations[0]
	if f := again.finding("number/beyond-2^53"); f == nil || f.From != "corpus" || f.Case != files[0] || again.Corpus[0].Verdict != verdict.Fail {
		t.Errorf("found %+v, corpus %+v", f, again.Corpus)
	}
	if f := again.Findings[0]; f.Requests > 6 {
		t.Errorf("the case was tried after %d requests, want it first", f.Requests)
	}
	if err := WriteCorpus(dir, first); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(files[0]); !bytes.Equal(before, after) {
		t.Error("a case that was there is written anew")
	}

	mended := search(t, Options{Config: serve(t, "", ticketsYAML), Seed: 3, Corpus: dir, Cases: 20}).Operations[0]
	if len(mended.Findings) != 0 || mended.Corpus[0].Verdict != verdict.Pass {
		t.Errorf("a mended target: found %d, corpus %+v", len(mended.Findings), mended.Corpus)
	}
}

func TestACaseThatFitsNoMoreSaysSo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := strings.Replace(goodCase, `"/details/oncespec"`, `"/nowhere/at/all"`, 1)
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	op := search(t, Options{Config: serve(t, "", ticketsYAML), Seed: 1, Corpus: dir, Cases: 1}).Operations[0]
	if len(op.Corpus) != 1 || op.Corpus[0].Verdict != verdict.NotAssessed || !strings.Contains(op.Corpus[0].Detail, "does not fit") {
		t.Errorf("%+v", op.Corpus)
	}
}

func TestACorpusThatIsBrokenSaysWhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, place, says string }{
		"no JSON":           {"{\n  \"schema\": oops\n}", "a.json:2:13: ", "invalid character"},
		"empty":             {"", "a.json:1:1: ", "the file is empty"},
		"cut":               {goodCase[:60], "a.json:3:", "ends"},
		"unknown member":    {strings.Replace(goodCase, `"seed"`, `"sead"`, 1), "a.json:7:", "/sead: this version"},
		"wrong type":        {strings.Replace(goodCase, `7`, `"7"`, 1), "a.json:7:", "/seed: found a string"},
		"another version":   {strings.Replace(goodCase, "/v1", "/v9", 1), "a.json:2:", `"oncespec.fuzzcase/v9"`},
		"unknown rewrite":   {strings.Replace(goodCase, "number/", "numbr/", 1), "a.json:", `"numbr/beyond-2^53"`},
		"no operation":      {strings.Replace(goodCase, `"create-ticket"`, `""`, 1), "a.json:", "operation"},
		"no pointer":        {strings.Replace(goodCase, `"/details/oncespec"`, `"details"`, 1), "a.json:", "leading /"},
		"something behind":  {goodCase + "{}", "a.json:9:", "after"},
		"a member repeated": {strings.Replace(goodCase, `"seed": 7`, `"seed": 7, "seed": 8`, 1), "a.json:7:", "duplicate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadCorpus(dir)
			var at *CorpusError
			if !errors.As(err, &at) || !strings.Contains(err.Error(), c.place) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want it to say %s…%s", err, c.place, c.says)
			}
			if _, err := Run(t.Context(), Options{Config: serve(t, "", ticketsYAML), Corpus: dir}); !errors.As(err, &at) {
				t.Errorf("a search with it: %v", err)
			}
		})
	}
}

func TestACorpusOfOtherFilesIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"b.json": goodCase, "README.md": "cases", "a.json": goodCase} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := ReadCorpus(dir)
	if err != nil || len(cases) != 2 || filepath.Base(cases[0].File) != "a.json" || cases[0].Seed != 7 {
		t.Errorf("%+v, %v", cases, err)
	}
	if cases, err := ReadCorpus(filepath.Join(dir, "not yet")); err != nil || cases != nil {
		t.Errorf("a folder that is not there: %v, %v", cases, err)
	}
	if _, err := ReadCorpus(filepath.Join(dir, "README.md")); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// FuzzParseCase: whatever is read can be written and read again as the same case, and every error says where.
func FuzzParseCase(f *testing.F) {
	f.Add([]byte(goodCase))
	f.Add([]byte(`{"schema":"oncespec.fuzzcase/v1","operation":"o","trial":{"rewrite":"query/value","site":{"at":"?a"},"changes":[{"at":"/a","value":"1"}],"choice":-1}}`))
	f.Add([]byte(`{"trial":[]}`))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseCase("f.json", text)
		if err != nil {
			var at *jsonfile.Error
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		written, err := json.Marshal(c, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseCase("f.json", written)
		if err != nil || again.Trial.ID() != c.Trial.ID() || again.Operation != c.Operation {
			t.Fatalf("%q written as %q: %+v, %v", text, written, again, err)
		}
	})
}
