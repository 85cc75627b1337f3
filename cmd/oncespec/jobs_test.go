package main_test

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestJobsAreOneRun(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	stale := filepath.Join(out, "shard-7")
	oncespec(t, "run", "-r", "replay/one-effect", "--operation", "create-ticket", "--out", stale).want(t, 0)
	got := oncespec(t, "run", "--pack", "replay", "--pack", "lost", "--jobs", "2", "--operation", "create-ticket", "--out", out).want(t, 0)
	written(t, out)
	r := report(t, out)
	if r.Result != "conformant" || r.Summary.Inconclusive != 0 {
		t.Errorf("result %q: %+v", r.Result, r.Summary)
	}
	if !strings.Contains(got.out, "built-in mock is conformant") || strings.Contains(got.err, "progress") {
		t.Errorf("it says:\n%s%s", got.out, got.err)
	}
	for _, shard := range []string{"shard-1", "shard-2"} {
		written(t, filepath.Join(out, shard))
		if page, _ := os.ReadFile(filepath.Join(out, shard, "report.md")); !strings.Contains(string(page), "shard "+strings.TrimPrefix(shard, "shard-")+"/2") {
			t.Errorf("the report of %s does not say which it is of:\n%s", shard, page)
		}
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("the shard of an earlier run is still there")
	}
	oncespec(t, "judge", out).want(t, 0)
	again := oncespec(t, "report", "merge", filepath.Join(out, "shard-2"), filepath.Join(out, "shard-1"), "--out", filepath.Join(t.TempDir(), "again")).want(t, 0)
	if last := lastLine(again.out); last != lastLine(got.out) {
		t.Errorf("merged again: %q, want %q", last, lastLine(got.out))
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// TestOneShardWithoutATarget: the other's rows stand, its own are open, and the exit code is its.
func TestOneShardWithoutATarget(t *testing.T) {
	t.Parallel()
	once := filepath.Join(t.TempDir(), "taken")
	yaml := strings.Replace(tickets("http://127.0.0.1:{port}"), "\n  tenants:",
		"\n  lifecycle: {process: {command: [sh, -c, 'mkdir "+once+" && exec "+binary+" mock --listen 127.0.0.1:{port}'], ready: {http: /healthz}}}\n  tenants:", 1)
	out := filepath.Join(t.TempDir(), "report")
	got := oncespec(t, "run", "-c", file(t, "oncespec.yaml", yaml), "--pack", "replay", "--pack", "lost", "--jobs", "2", "--out", out).want(t, 3)
	r := report(t, out)
	if r.Summary.Pass == 0 || r.Summary.Inconclusive == 0 || r.Summary.Fail != 0 {
		t.Errorf("%+v", r.Summary)
	}
	if !strings.Contains(got.out, "/2 ended early (environment), after 0 of 5 scenarios: the target does not come up") || !strings.Contains(lastLine(got.out), "is incomplete") {
		t.Errorf("it says:\n%s", got.out)
	}
	oncespec(t, "judge", out).want(t, 3)
}

func TestADefectInOneShardIsOneOfTheRun(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	oncespec(t, "run", "--mutant", "replay-answers-200", "--pack", "replay", "--jobs", "3", "--operation", "create-ticket", "--out", out).want(t, 1)
	if r := report(t, out); r.Summary.Fail != 1 {
		t.Errorf("%+v", r.Summary)
	}
}

func TestJobsAreInterruptedTogether(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	p := command(t, "run", "--jobs", "2", "--out", out)
	p.startSignalled(t, os.Interrupt, regexp.MustCompile(`^ *\d+/\d+ `).MatchString)
	got := p.wait(t).want(t, 130)
	written(t, out)
	if r := report(t, out); r.Result != "interrupted" || r.Summary.Fail != 0 {
		t.Errorf("result %q: %+v", r.Result, r.Summary)
	}
	for _, says := range []string{"shard 1/2 was interrupted after ", "shard 2/2 was interrupted after ", "\ninterrupted; what was seen of built-in mock until then: "} {
		if !strings.Contains(got.out, says) {
			t.Errorf("it does not say %q:\n%s", says, got.out)
		}
	}
	if lines := strings.Count(got.out, "\n"); lines > 30 || strings.Contains(got.out+got.err, "context canceled") {
		t.Errorf("%d lines:\n%s%s", lines, got.out, got.err)
	}
}

// TestJobsInterruptedBeforeTheyBegin: the exit code is that of an interrupt, whatever had been started.
func TestJobsInterruptedBeforeTheyBegin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := silentPipe(t, dir, "oncespec.yaml")
	p := command(t, "run", "-c", pipe, "--jobs", "2", "--out", filepath.Join(dir, "report"))
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	to, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	to.WriteString(tickets("http://127.0.0.1:1"))
	to.Close()
	for deadline := time.Now().Add(generous); len(holding(t, p.tmp)) < 3; time.Sleep(time.Millisecond) { // the run, and shards that wait for a configuration
		if time.Now().After(deadline) {
			t.Fatal("the shards are not started")
		}
	}
	p.Process.Signal(os.Interrupt)
	if got := p.wait(t).want(t, 130); !strings.Contains(got.err, "interrupted before ") {
		t.Errorf("it says:\n%s", got.err)
	}
}

func TestShardsThatDoNotGoTogether(t *testing.T) {
	t.Parallel()
	run := func(args ...string) string {
		out := filepath.Join(t.TempDir(), "report")
		oncespec(t, append([]string{"run", "-r", "replay/*", "--operation", "create-ticket", "--out", out}, args...)...).want(t, 0)
		return out
	}
	one, two, other, whole := run("--seed", "7", "--shard", "1/2"), run("--seed", "7", "--shard", "2/2"), run("--seed", "8", "--shard", "2/2"), run()
	merge := func(dirs ...string) ended {
		return oncespec(t, append([]string{"report", "merge", "--out", filepath.Join(t.TempDir(), "merged")}, dirs...)...)
	}
	merge(one, two).want(t, 0)
	for says, got := range map[string]ended{
		"the seed 7":                             merge(one, other),
		"holds a run that was not divided":       merge(whole, two),
		"are both shard 1/2":                     merge(one, one),
		"holds no stored run":                    merge(one, t.TempDir()),
		"is one of the folders":                  oncespec(t, "report", "merge", one, two, "--out", one),
		"such as 2/3":                            oncespec(t, "run", "--shard", "3/2"),
		"choose at most":                         oncespec(t, "run", "-r", "replay/authorised", "--operation", "create-ticket", "--shard", "1/9", "--seed", "7"),
		"--shard and --jobs exclude one another": oncespec(t, "run", "--shard", "1/2", "--jobs", "2"),
		"target.url has a fixed port": oncespec(t, "run", "--jobs", "2", "-c", file(t, "oncespec.yaml", strings.Replace(tickets("http://127.0.0.1:1"),
			"\n  tenants:", "\n  lifecycle: {process: {command: [x]}}\n  tenants:", 1))),
	} {
		if got.want(t, 4); !strings.Contains(got.err, says) {
			t.Errorf("expected %q, found %s", says, got.err)
		}
	}
}

// TestHalfOfARunSaysHowToGetTheRest: in a few lines, by commands that do it, and it is conformant under no flag.
func TestHalfOfARunSaysHowToGetTheRest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(args ...string) ended {
		p := command(t, args...)
		p.Dir = dir
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		return p.wait(t)
	}
	in("run", "--seed", "7", "--shard", "1/2", "--pack", "key", "-r", "*/*", "--operation", "create-ticket", "--out", "one").want(t, 0)
	got := in("report", "merge", "one", "--out", "all", "--allow-inconclusive").want(t, 2)
	if lines := strings.Count(got.out, "\n"); lines > 12 || !strings.Contains(got.out, "since shard 2/2 is missing (key ") || !strings.Contains(lastLine(got.out), "incomplete: shard 2/2 is missing") {
		t.Errorf("%d lines:\n%s", lines, got.out)
	}
	if got := in("judge", "all").want(t, 2); !strings.Contains(lastLine(got.out), "shard 2/2 is missing") {
		t.Errorf("judged again:\n%s", got.out)
	}
	commands := regexp.MustCompile(`(?m)^  oncespec (.*)$`).FindAllStringSubmatch(got.out, -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands in:\n%s", len(commands), got.out)
	}
	for _, c := range commands {
		in(strings.Fields(strings.ReplaceAll(c[1], "'", ""))...).want(t, 0)
	}
}

// TestShardsDoNotOutliveTheRun: where the run is killed they end by themselves, cleanly, and leave whole reports.
func TestShardsDoNotOutliveTheRun(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	p := command(t, "run", "--jobs", "2", "--out", out)
	p.Stderr = nil
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	started := regexp.MustCompile(`^ *\d+/\d+ `)
	for lines := bufio.NewScanner(stderr); lines.Scan() && !started.MatchString(lines.Text()); {
	}
	p.Process.Kill()
	p.Wait()
	for _, shard := range []string{"shard-1", "shard-2"} {
		dir := filepath.Join(out, shard)
		for deadline := time.Now().Add(generous); ; time.Sleep(20 * time.Millisecond) {
			_, unwritten := os.Stat(filepath.Join(dir, "report.json")) // it is the last that is written
			if _, owned := os.Stat(filepath.Join(dir, ".oncespec-lock")); unwritten == nil && errors.Is(owned, fs.ErrNotExist) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s goes on without the run", shard)
			}
		}
		if r := report(t, dir); r.Result != "interrupted" {
			t.Errorf("%s ended %q", shard, r.Result)
		}
	}
}
