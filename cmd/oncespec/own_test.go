package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/run"
)

// TestAnOutputFolderHasOneUser: whatever writes to a folder that a run uses is turned away before it removes anything.
func TestAnOutputFolderHasOneUser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	api := serve(t, nil)
	one := []string{"run", "-c", api, "-r", "replay/one-effect", "--seed", "7"}
	part := []string{"run", "-c", api, "--pack", "replay", "--pack", "lost", "--seed", "7", "--shard"}
	for _, i := range []string{"1", "2"} {
		oncespec(t, append(part, i+"/2", "--out", filepath.Join(dir, i))...).want(t, 0)
	}
	out := filepath.Join(dir, "report")
	oncespec(t, append(one, "--out", out)...).want(t, 0)
	before := everything(t, out)
	for name := range before {
		if strings.HasPrefix(filepath.Base(name), ".") {
			t.Errorf("a run left %s", name)
		}
	}

	release, err := run.Own(out)
	if err != nil {
		t.Fatal(err)
	}
	before = everything(t, out) // with the lock
	for _, args := range [][]string{
		one,
		{"run", "--pack", "replay", "--jobs", "2"},
		append(part, "1/2"),
		{"fuzz", "-c", api, "--cases", "1"},
		{"report", "merge", filepath.Join(dir, "1"), filepath.Join(dir, "2")},
	} {
		got := oncespec(t, append(args, "--out", out)...).want(t, 4)
		for _, says := range []string{out, "process " + strconv.Itoa(os.Getpid()), "another with --out"} {
			if !strings.Contains(got.err, says) {
				t.Errorf("%v does not say %q: %s", args, says, got.err)
			}
		}
		after := everything(t, out)
		if len(after) != len(before) {
			t.Errorf("%v: there were %d files, and are %d", args, len(before), len(after))
		}
		for name, text := range before {
			if after[name] != text {
				t.Errorf("%v touched %s", args, name)
			}
		}
	}
	release()
	oncespec(t, append(one, "--out", out)...).want(t, 0)
	oncespec(t, "judge", out).want(t, 0)
}

// TestAFolderOfAKilledRunIsFree at once, without anybody's doing.
func TestAFolderOfAKilledRunIsFree(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	api := serve(t, nil)
	p := command(t, "run", "-c", api, "--pack", "replay", "--out", out)
	p.startSignalled(t, os.Kill, regexp.MustCompile(`^ *\d+/\d+ `).MatchString)
	if err := p.Wait(); err == nil || p.ProcessState.Exited() {
		t.Fatalf("it was not killed: %v\n%s", err, p.err.String())
	}
	oncespec(t, "run", "-c", api, "-r", "replay/one-effect", "--out", out).want(t, 0)
	for name := range everything(t, out) {
		if strings.HasPrefix(filepath.Base(name), ".") {
			t.Errorf("%s is left", name)
		}
	}
}

// everything is what the files of a folder hold.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
