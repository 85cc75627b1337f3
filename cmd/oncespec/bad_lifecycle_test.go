package main_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/needtest"
)

// mockBy is the configuration of the mock, started by another command: YAML for what stands in place of the program.
func mockBy(t *testing.T, program string, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "suites", "mock.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	replace = append([]string{"command: [oncespec, mock,", "command: [" + program + ", mock,"}, replace...)
	changed := string(text)
	for pair := range slices.Chunk(replace, 2) {
		if !strings.Contains(changed, pair[0]) {
			t.Fatalf("the mock's configuration has another shape: there is no %q in it", pair[0])
		}
		changed = strings.Replace(changed, pair[0], pair[1], 1)
	}
	return file(t, "oncespec.yaml", changed)
}

// shell is mockBy for a script that is given the command as its arguments.
func shell(t *testing.T, script string, replace ...string) string {
	t.Helper()
	return mockBy(t, fmt.Sprintf("sh, -c, %q, %q", script, binary), replace...)
}

// TestExit3TargetThatDoesNotComeUp: it is the environment's, people are told what the target said, and nothing of it lives on.
func TestExit3TargetThatDoesNotComeUp(t *testing.T) {
	t.Parallel()
	soon := []string{"ready: {http: /healthz}", "ready: {http: /healthz, within: 300ms}"}
	for name, c := range map[string]struct {
		config string
		says   []string
	}{
		"never ready":                {shell(t, "echo warming up; sleep 600", soon...), []string{"the target does not come up", "not ready in time: waited 300ms", "warming up"}},
		"never ready, with children": {shell(t, "sleep 600 & setsid sleep 600 & wait", soon...), []string{"not ready in time"}},
		"dies at once":               {shell(t, "echo no licence >&2; exit 3"), []string{"the target does not come up", "ended before it was ready", "ended with code 3", "no licence"}},
		"becomes a daemon":           {shell(t, `setsid "$0" "$@" >/dev/null 2>&1 &`), []string{"ended before it was ready", "ended with code 0"}},
		"is killed by a signal":      {shell(t, "kill -SEGV $$"), []string{"ended by SIGSEGV"}},
		"its port is taken":          {shell(t, "echo listen tcp 127.0.0.1:1: bind: address already in use; exit 1"), []string{"address is taken by another program", "another port"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment(t, c.config, c.says...)
		})
	}
}

// environment runs a configuration that ends as the environment's fault, and returns the problem.
func environment(t *testing.T, config string, says ...string) string {
	t.Helper()
	out := t.TempDir()
	e := oncespec(t, "run", "-c", config, "-r", "replay/one-effect", "-r", "crash/*", "--operation", "create-ticket", "--out", out).want(t, 3) // nothing left: see wait
	written(t, out)
	r := report(t, out)
	if r.Result != "environment" || r.Summary.Fail != 0 || r.Summary.Error != 0 {
		t.Errorf("result %q with %d fails and %d errors", r.Result, r.Summary.Fail, r.Summary.Error)
	}
	for _, words := range says {
		if !strings.Contains(r.Problem, words) {
			t.Errorf("the problem does not say %q: %s", words, r.Problem)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(e.out+e.err), " "), strings.Join(strings.Fields(r.Problem), " ")) {
		t.Errorf("nobody was told the problem:\n%s%s", e.out, e.err)
	}
	return r.Problem
}

// TestExit3TargetThatDoesNotComeBack: after a kill the port is somebody else's, or it dies at its second start.
func TestExit3TargetThatDoesNotComeBack(t *testing.T) {
	t.Parallel()
	once := `if [ -e "$5.once" ]; then %s; fi; : > "$5.once"; exec "$0" "$@"` // the fifth argument is the database
	for name, c := range map[string]struct {
		config string
		says   []string
	}{
		"its port is taken": {shell(t, fmt.Sprintf(once, "echo bind: address already in use; exit 1")), []string{"does not come up again", "address is taken by another program", "another port"}},
		"it dies":           {shell(t, fmt.Sprintf(once, "echo the database is torn; exit 9")), []string{"does not come up again", "ended with code 9", "the database is torn"}},
		"it hangs": {shell(t, fmt.Sprintf(once, "sleep 600"), "ready: {http: /healthz}", "ready: {http: /healthz, within: 2s}"),
			[]string{"does not come up again", "not ready in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment(t, c.config, c.says...)
		})
	}
}

// TestReplicaThatDiesInMidRun: one that ends while duplicates are sent to it, and not by us, proves nothing of the target. They are
// sent to another one in its place.
func TestReplicaThatDiesInMidRun(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	p := command(t, "run", "-c", mockBy(t, binary), "-r", "replay/one-effect", "-r", "race/replicas", "--operation", "create-ticket", "--out", out)
	read, write := io.Pipe()
	p.Stderr = io.MultiWriter(&p.err, write)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	racing := make(chan struct{})
	go func() {
		defer io.Copy(io.Discard, read)
		for lines := bufio.NewScanner(read); lines.Scan(); {
			if strings.HasSuffix(lines.Text(), "2/2 race") {
				close(racing)
				return
			}
		}
	}()
	select {
	case <-racing:
	case <-time.After(generous):
		t.Error("it did not come to its races")
	}
	second := 0
	for end := time.Now().Add(generous); second == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		var pids []int
		for _, who := range holding(t, p.tmp) {
			if strings.Contains(who, " mock ") {
				pid := 0
				fmt.Sscan(who, &pid)
				pids = append(pids, pid)
			}
		}
		if len(pids) == 2 {
			second = slices.Max(pids)
		}
	}
	if it, err := os.FindProcess(second); second == 0 || err != nil || it.Kill() != nil {
		t.Fatalf("the second one, %d, was not killed: %v", second, err)
	}
	e := p.wait(t)
	write.Close()
	r := report(t, out)
	if r.Summary.Fail+r.Summary.Error+r.Summary.Inconclusive != 0 && e.code != 3 || strings.Contains(string(r.Verdicts), `"blame": "target"`) {
		t.Errorf("exit %d, %+v: %s\n%s", e.code, r.Summary, r.Problem, r.Verdicts)
	}
	if e.code == 3 { // it had not been ready
		if !strings.Contains(r.Problem, "SIGKILL") {
			t.Errorf("the problem: %s", r.Problem)
		}
		return
	}
	e.want(t, 0)
	tries, err := filepath.Glob(filepath.Join(out, "histories", "race-replicas.create-ticket*.json"))
	if named := strings.Count(string(r.Verdicts), `"race-replicas.create-ticket`); err != nil || named == 0 || len(tries) <= named {
		t.Errorf("%d histories, %d of which a verdict rests on: nothing was done again", len(tries), named)
	}
}

// TestExit0TargetThatIsHardToEnd: one that ignores SIGTERM, and one that forks, are no harder to test, and are gone afterwards.
func TestExit0TargetThatIsHardToEnd(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"ignores SIGTERM": `trap "" TERM; "$0" "$@"`,
		"forks":           `sleep 600 & "$0" "$@"`,
		"forks away":      `setsid sleep 600 & setsid "$0" "$@" & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
				t.Skip("what has left its process group is out of reach here")
			}
			out := t.TempDir()
			oncespec(t, "run", "-c", shell(t, script), "-r", "replay/one-effect", "-r", "crash/durable", "--operation", "create-ticket", "--out", out).want(t, 0)
			if r := report(t, out); r.Result != "conformant" || r.Summary.Pass == 0 {
				t.Errorf("result %q with %d passes", r.Result, r.Summary.Pass)
			}
		})
	}
}

// hooked is the mock's configuration with hooks that act on a mock which the start hook leaves in the background. Whoever adopts
// that may take a second to notice that it has ended.
func hooked(t *testing.T, hooks string) string {
	t.Helper()
	text, err := os.ReadFile(mockBy(t, binary))
	if err != nil {
		t.Fatal(err)
	}
	begin, end := strings.Index(string(text), "    process:\n"), strings.Index(string(text), "  downstream: {listen")
	if begin < 0 || end < begin {
		t.Fatal("the mock's configuration has another shape")
	}
	start := `'"` + binary + `" mock --listen 127.0.0.1:$PORT --db "$DIR/mock.db" --downstream "$DOWNSTREAM" >/dev/null 2>&1 & echo $! > "$DIR/pid"'`
	changed := string(text[:begin]) + "    hooks:\n      start: " + start + "\n      stop: 'p=$(cat \"$DIR/pid\"); kill $p; while grep -qs \"^State:.[^ZX]\" /proc/$p/status; do sleep 0.02; done'\n      ready: {http: /healthz}\n" + hooks + string(text[end:])
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	changed = strings.Replace(changed, "{port}", fmt.Sprint(port), 1)
	lines := slices.DeleteFunc(strings.SplitAfter(changed, "\n"), func(line string) bool { return strings.HasPrefix(line, "  replicas:") })
	return file(t, "oncespec.yaml", strings.Join(lines, ""))
}

// TestHooksThatFailOrHang: nothing is concluded about the target, and it is said which hook it was.
func TestHooksThatFailOrHang(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hooks string
		says  string
	}{
		"fails": {"      kill: 'echo no such pod; exit 4'\n", "exit status 4"},
		"hangs": {"      kill: 'sleep 600'\n      within: 2s\n", "still running after 2s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			oncespec(t, "run", "-c", hooked(t, c.hooks), "-r", "replay/one-effect", "-r", "crash/durable", "--operation", "create-ticket", "--out", out).want(t, 2)
			r := report(t, out)
			if r.Summary.Fail != 0 || r.Summary.Inconclusive == 0 || r.Summary.Error != 0 {
				t.Errorf("%+v: %s", r.Summary, r.Verdicts)
			}
			for _, words := range []string{"hook kill", c.says, `"blame": "environment"`} {
				if !strings.Contains(string(r.Verdicts), words) {
					t.Errorf("no verdict says %q: %s", words, r.Verdicts)
				}
			}
		})
	}
	t.Run("stop fails", func(t *testing.T) {
		t.Parallel()
		text, err := os.ReadFile(hooked(t, "      kill: 'kill -9 $(cat \"$DIR/pid\")'\n"))
		if err != nil {
			t.Fatal(err)
		}
		refuses := regexp.MustCompile(`stop: '([^']*)'`).ReplaceAllString(string(text), "stop: 'if [ ! -e \"$$DIR/once\" ]; then : > \"$$DIR/once\"; echo not allowed; exit 6; fi; $1'")
		leftForTheNextStart(t, file(t, "oncespec.yaml", refuses), "replay/one-effect", "stopping the target", "hook stop", "exit status 6", "not allowed")
	})
	t.Run("pause fails", func(t *testing.T) { // requests are brought together in another way, and it is said why
		t.Parallel()
		out := t.TempDir()
		config := hooked(t, "      kill: 'kill -9 $(cat \"$DIR/pid\")'\n      pause: 'echo no freezer; exit 4'\n      resume: 'true'\n")
		oncespec(t, "run", "-c", config, "-r", "race/one-effect", "--operation", "create-ticket", "--out", out).want(t, 0)
		said := ""
		for _, text := range files(t, out) {
			said += text
		}
		for _, words := range []string{"hook pause", "exit status 4", "no freezer"} {
			if !strings.Contains(said, words) {
				t.Errorf("nothing says %q", words)
			}
		}
	})
	t.Run("resume fails", func(t *testing.T) { // what stands still for good is no defect of the target
		t.Parallel()
		text, err := os.ReadFile(hooked(t, "      kill: 'kill -9 $(cat \"$DIR/pid\")'\n      pause: 'kill -STOP $(cat \"$DIR/pid\")'\n      resume: 'echo not mine; exit 7'\n"))
		if err != nil {
			t.Fatal(err)
		}
		ends := strings.Replace(string(text), "kill $p;", "kill -9 $p;", 1)
		out := t.TempDir()
		oncespec(t, "run", "-c", file(t, "oncespec.yaml", ends), "-r", "race/one-effect", "-r", "replay/one-effect", "--operation", "create-ticket", "--out", out).want(t, 3)
		r := report(t, out)
		if r.Summary.Fail != 0 || r.Summary.Error != 0 {
			t.Errorf("%+v: %s", r.Summary, r.Verdicts)
		}
		for _, words := range []string{"hook resume", "exit status 7", "not mine"} {
			if !strings.Contains(r.Problem, words) {
				t.Errorf("the problem does not say %q: %s", words, r.Problem)
			}
		}
	})
	t.Run("start fails", func(t *testing.T) {
		t.Parallel()
		text, err := os.ReadFile(hooked(t, "      kill: 'p=$(cat \"$DIR/pid\"); kill -9 $p; while kill -0 $p 2>/dev/null; do sleep 0.02; done'\n"))
		if err != nil {
			t.Fatal(err)
		}
		again := strings.Replace(string(text), `start: '"`, `start: 'if [ -e "$DIR/once" ]; then echo no quota; exit 5; fi; : > "$DIR/once"; "`, 1)
		environment(t, file(t, "oncespec.yaml", again), "does not come up again", "hook start", "exit status 5", "no quota")
	})
}

// leftForTheNextStart runs a configuration whose target cannot be ended, and says so. The next start ends it.
func leftForTheNextStart(t *testing.T, config, requirement string, says ...string) {
	t.Helper()
	state, out := t.TempDir(), t.TempDir()
	p := command(t, "run", "-c", config, "-r", "replay/one-effect", "-r", requirement, "--operation", "create-ticket", "--out", out)
	p.Env = append(p.Env, "XDG_STATE_HOME="+state)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.Wait()
	if code := p.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit code %d: %s%s", code, &p.out, &p.err)
	}
	written(t, out)
	r := report(t, out)
	if r.Summary.Fail != 0 || r.Summary.Error != 0 || strings.Contains(string(r.Verdicts), `"blame": "target"`) {
		t.Errorf("%+v: %s", r.Summary, r.Verdicts)
	}
	for _, words := range says {
		if !strings.Contains(r.Problem, words) {
			t.Errorf("the problem does not say %q: %s", words, r.Problem)
		}
	}
	gone(t, p.tmp, state, nextStart(t, state))
}

// full is a volume with little space. Where none can be mounted the test is skipped, unless ONCESPEC_REQUIRE lists mount.
func full(t *testing.T, kilobytes int) string {
	t.Helper()
	dir := t.TempDir()
	needtest.Have(t, "mount", mount(dir, kilobytes))
	t.Cleanup(func() {
		if err := unmount(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestExit3VolumeThatIsFull: the target's, from the start or in mid-run, and the report's.
func TestExit3VolumeThatIsFull(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target, report int // kilobytes; 0: enough
		says           string
	}{
		"the target's, at once":    {8, 0, "the target does not come up"},
		"the target's, in mid-run": {400, 0, "writes are refused"},
		"the report's":             {0, 64, "no space left on device"},
		"the histories'":           {0, 16, "no space left on device"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			if c.report > 0 {
				out = full(t, c.report)
			}
			p := command(t, "run", "--pack", "replay", "--pack", "conflict", "--operation", "create-ticket", "--out", out)
			if c.target > 0 {
				p.tmp = full(t, c.target)
				p.Env = append(p.Env, "TMPDIR="+p.tmp)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			e := p.wait(t).want(t, 3)
			if !strings.Contains(strings.Join(strings.Fields(e.out+e.err), " "), c.says) {
				t.Errorf("nobody was told %q:\n%s%s", c.says, e.out, e.err)
			}
			if c.report == 0 {
				written(t, out)
				if r := report(t, out); r.Summary.Fail != 0 || r.Problem == "" {
					t.Errorf("%d fails, problem %q", r.Summary.Fail, r.Problem)
				} else {
					t.Log(r.Problem)
				}
			}
		})
	}
}
