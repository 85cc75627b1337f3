package main_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A corpus that cannot be read or added to is told before anything is sent, and the report of before stays.
func TestFuzzRefusesACorpusThatItCannotUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "report")
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	before := filepath.Join(out, "fuzz.json")
	if err := os.WriteFile(before, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := file(t, "pairs", "no folder")
	cut := filepath.Join(dir, "cut")
	if err := os.MkdirAll(cut, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cut, "a.json"), []byte("{\n \"schema\": \"onces"), 0o600); err != nil {
		t.Fatal(err)
	}
	for corpus, says := range map[string]string{
		plain:                         "--corpus: " + plain,
		filepath.Join(plain, "below"): "no case can be added",
		cut:                           "a.json:2:",
	} {
		e := oncespec(t, "fuzz", "--corpus", corpus, "--out", out, "--cases", "1").want(t, 4)
		if !strings.Contains(e.err, says) {
			t.Errorf("%s: %s; want %q", corpus, e.err, says)
		}
	}
	if text, err := os.ReadFile(before); err != nil || string(text) != "before" {
		t.Errorf("the report of before is %q, %v", text, err)
	}
}

// Whenever it is interrupted, what it leaves is whole or absent, and what it found is kept.
func TestFuzzInterruptedAtAnyInstantLeavesWholeFiles(t *testing.T) {
	t.Parallel()
	times := 6
	if testing.Short() {
		times = 2
	}
	for range times {
		for _, sig := range []os.Signal{os.Interrupt, os.Kill} {
			dir := t.TempDir()
			out, pairs := filepath.Join(dir, "report"), filepath.Join(dir, "pairs")
			p := command(t, "fuzz", "--for", "10m", "--mutant", "fingerprint-struct", "--operation", "create-ticket", "--out", out, "--corpus", pairs)
			state := "XDG_STATE_HOME=" + filepath.Join(dir, "state")
			p.Env = append(p.Env, state)
			begun := make(chan struct{})
			p.Stderr = &watcher{into: &p.err, wanted: "starting the target", found: begun}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-begun: // before that there is nothing to tidy up, and a signal does what signals do
			case <-time.After(generous):
				t.Error("the search never began")
			}
			time.Sleep(rand.N(3 * time.Second)) // any instant
			if err := p.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			said := ""
			if sig == os.Kill {
				_ = p.Wait() // it says that it was killed
			} else {
				said = p.wait(t).err
			}
			text, err := os.ReadFile(filepath.Join(out, "fuzz.json"))
			if err == nil {
				r := readFuzz(t, text)
				for _, o := range r.Operations {
					for _, f := range o.Findings {
						if _, err := os.Stat(f.Case); err != nil {
							t.Errorf("%v: a finding is not kept: %v", sig, err)
						}
					}
				}
				for _, name := range []string{"fuzz.md", "fuzz.xml", "pairs"} {
					if _, err := os.Stat(filepath.Join(out, name)); err != nil {
						t.Errorf("%v: fuzz.json is there, %v", sig, err)
					}
				}
			} else if sig == os.Interrupt && strings.Contains(said, "sweep") {
				t.Errorf("it had begun, and left no report: %v\n%s", err, said)
			}
			if sig == os.Kill { // the next one ends what it left, and reads what it kept
				next := command(t, "fuzz", "--operation", "create-ticket", "--corpus", pairs, "--cases", "1", "--rewrite", "space/pretty", "--out", filepath.Join(dir, "next"))
				next.Env = append(next.Env, state)
				if err := next.Start(); err != nil {
					t.Fatal(err)
				}
				next.wait(t).want(t, 0)
			}
		}
	}
}

// What needs more than one sample is listed all the same, with who judges it.
func TestRewritesThatARequirementJudgesAreListed(t *testing.T) {
	t.Parallel()
	list := oncespec(t, "list", "rewrites").want(t, 0).out
	requirements := oncespec(t, "list", "requirements").want(t, 0).out
	for id, judge := range map[string]string{"auth/other-principal": "key/other-principal", "route/path-id": "key/other-operation", "route/method": "key/other-operation"} {
		if !strings.Contains(list, id) || !strings.Contains(requirements, judge+" ") {
			t.Errorf("%s, or %s, is not listed", id, judge)
		}
		if e := oncespec(t, "fuzz", "--rewrite", id, "--out", t.TempDir()).want(t, 4); !strings.Contains(e.err, "oncespec run -r "+judge) {
			t.Errorf("fuzz --rewrite %s: %s", id, e.err)
		}
		if e := oncespec(t, "explain", id).want(t, 0); !strings.Contains(e.out, judge) {
			t.Errorf("explain %s: %s", id, e.out)
		}
	}
}
