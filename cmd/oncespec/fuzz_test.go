package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fuzzed is what of fuzz.json a test looks at.
type fuzzed struct {
	Schema, Result, Problem string
	Seed                    uint64
	Operations              []struct {
		Name       string
		Pairs      int
		Stopped    string
		Findings   []struct{ Rewrite, Kind, From, Case string }
		Strategies []struct{ Name string }
		Corpus     []struct{ File, Verdict string }
	}
}

func readFuzz(t *testing.T, text []byte) (r fuzzed) {
	t.Helper()
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return r
}

func TestFuzzFindsNothingWrongWithTheMock(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	e := oncespec(t, "fuzz", "--cases", "60", "--seed", "7", "--json", "--out", out).want(t, 0)
	r := readFuzz(t, []byte(e.out))
	if r.Schema != "oncespec.fuzz/v1" || r.Result != "conformant" || r.Seed != 7 || len(r.Operations) != 4 {
		t.Errorf("%+v", r)
	}
	for _, o := range r.Operations {
		if len(o.Findings) > 0 || o.Pairs == 0 {
			t.Errorf("%+v", o)
		}
	}
	if !strings.Contains(e.err, "create-ticket: sweep") || !strings.Contains(e.err, "create-payment: search 100%") {
		t.Errorf("progress: %s", e.err)
	}
	for _, name := range []string{"fuzz.json", "fuzz.md", "fuzz.xml"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestFuzzShowsAPairKeepsItAndTriesItAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"fuzz", "--mutant", "fingerprint-float64", "--operation", "create-ticket", "--rewrite", "number/beyond-*", "--cases", "30",
		"--corpus", filepath.Join(dir, "pairs"), "--out", filepath.Join(dir, "report")}
	e := oncespec(t, args...).want(t, 1)
	for _, says := range []string{
		"looks like float64", "foretold: number/beyond-2^53, ", "false replay number/beyond-2^53", "differs at /details/oncespec: 9007199254740992 → 9007199254740993",
		"B under A's key", "B under a key of its own", "1 effect by http", "[redacted]", "confuses requests: 2 rewrites", "--rewrite 'number/beyond-2^53'",
	} {
		if !strings.Contains(e.out, says) {
			t.Errorf("the summary does not say %q:\n%s", says, e.out)
		}
	}
	scripts, err := filepath.Glob(filepath.Join(dir, "report", "pairs", "*.sh"))
	if err != nil || len(scripts) != 2 {
		t.Fatalf("scripts %v, %v", scripts, err)
	}
	script, err := os.ReadFile(scripts[0])
	if err != nil || strings.Count(string(script), "curl ") != 3 || strings.Contains(string(script), "acme-token") {
		t.Errorf("%v, script:\n%s", err, script)
	}

	// The command that the report names for one pair.
	again := regexp.MustCompile(`again: oncespec (.*)`).FindStringSubmatch(e.out)
	if again == nil {
		t.Fatalf("no command to run it again:\n%s", e.out)
	}
	words := strings.Fields(strings.ReplaceAll(again[1], "'", ""))
	second := oncespec(t, append(words, "--json", "--out", filepath.Join(dir, "second"))...).want(t, 1)
	found := readFuzz(t, []byte(second.out)).Operations[0]
	if len(found.Findings) != 1 || found.Findings[0].From != "corpus" || len(found.Corpus) != 1 || found.Corpus[0].Verdict != "fail" {
		t.Errorf("again: %+v", found)
	}
}

// A folder that is there from the first run on can be committed, and cached by CI, before anything was found.
func TestFuzzMakesTheCorpusAlsoWhereNothingIsFound(t *testing.T) {
	t.Parallel()
	pairs := filepath.Join(t.TempDir(), "deep", "pairs")
	args := []string{"fuzz", "--operation", "create-ticket", "--rewrite", "order/top", "--cases", "1", "--corpus", pairs, "--out", filepath.Join(t.TempDir(), "report")}
	for range 2 {
		oncespec(t, args...).want(t, 0)
		files, err := os.ReadDir(pairs)
		if err != nil || len(files) != 1 || files[0].Name() != "README.md" {
			t.Errorf("the corpus holds %v, %v; want what says what it is for", files, err)
		}
	}
}

func TestFuzzForATimeEnds(t *testing.T) {
	t.Parallel()
	e := oncespec(t, "fuzz", "--for", "2s", "--operation", "create-ticket", "--json", "--out", filepath.Join(t.TempDir(), "report")).want(t, 0)
	if op := readFuzz(t, []byte(e.out)).Operations[0]; op.Pairs < 100 && !strings.HasPrefix(op.Stopped, "the time was up") { // a busy machine may get no further
		t.Errorf("%d pairs, stopped %q", op.Pairs, op.Stopped)
	}
}

func TestFuzzOfATargetThatIsDownEndsWith3(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	oncespec(t, "fuzz", "-c", file(t, "oncespec.yaml", tickets("http://127.0.0.1:1")), "--out", out).want(t, 3)
	text, err := os.ReadFile(filepath.Join(out, "fuzz.json"))
	if err != nil {
		t.Fatal(err)
	}
	if r := readFuzz(t, text); r.Result != "environment" || r.Problem == "" {
		t.Errorf("%+v", r)
	}
}

func TestFuzzInterruptedWritesItsReport(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		out := filepath.Join(t.TempDir(), "report")
		p := command(t, "fuzz", "--for", "10m", "--mutant", "fingerprint-float64", "--operation", "create-ticket", "--out", out)
		begun := make(chan struct{})
		p.Stderr = &watcher{into: &p.err, wanted: "search", found: begun}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-begun:
		case <-time.After(generous):
			t.Error("the search never began")
		}
		if err := p.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		p.wait(t).want(t, 130)
		text, err := os.ReadFile(filepath.Join(out, "fuzz.json"))
		if err != nil {
			t.Fatal(err)
		}
		if r := readFuzz(t, text); r.Result != "interrupted" || len(r.Operations) != 1 || len(r.Operations[0].Findings) == 0 || len(r.Operations[0].Strategies) == 0 {
			t.Errorf("%+v", r)
		}
	}
}

// watcher passes text on and tells when it has seen a word.
type watcher struct {
	into   interface{ Write([]byte) (int, error) }
	wanted string

	found chan struct{}
	seen  string
	told  bool
}

func (w *watcher) Write(p []byte) (int, error) {
	w.seen += string(p)
	if !w.told && strings.Contains(w.seen, w.wanted) {
		w.told = true
		close(w.found)
	}
	return w.into.Write(p)
}
