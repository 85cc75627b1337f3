package main_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link/linktest"
)

// signals is how often a command line is ended at a random instant.
var signals = flag.Int("signals", 8, "how many runs TestEndedAtAnyInstant ends at random instants, one kind of target after another")

// doomed is a command line that is going to be ended, with what its target leaves elsewhere than in files and processes.
type doomed struct {
	*process
	elsewhere func(t *testing.T) // fails the test where something is left there
}

// doom lists the ways in which a target can be left behind: how each is started, and about how long that takes.
var doom = []struct {
	name    string
	longest time.Duration
	start   func(t *testing.T) doomed
}{
	{"process", 3 * time.Second, func(t *testing.T) doomed { return doomed{process: command(t, faulty("run")...)} }},
	{"daemon", 3 * time.Second, func(t *testing.T) doomed {
		if _, err := exec.LookPath("setsid"); err != nil {
			t.Skip("there is no setsid")
		}
		return doomed{process: command(t, append(faulty("run"), "-c", mockBy(t, fmt.Sprintf(`sh, -c, 'setsid "$0" "$@" & wait', %q`, binary)))...)}
	}},
	{"container", 6 * time.Second, func(t *testing.T) doomed {
		p := inContainer(t, append(faulty("run"), "--lifecycle", "container")...)
		return doomed{p, func(t *testing.T) { nothingOf(t, p) }}
	}},
	{"hooks", 4 * time.Second, func(t *testing.T) doomed {
		return doomed{process: command(t, append(faulty("run"), "-c", patient(t))...)}
	}},
	{"replicas and pauses", 4 * time.Second, func(t *testing.T) doomed {
		return doomed{process: command(t, "run", "-r", "race/replicas", "-r", "crash/fencing", "-r", "race/one-effect", "--operation", "create-ticket")}
	}},
	{"somebody else's Toxiproxy", 4 * time.Second, func(t *testing.T) doomed {
		toxiproxy := linktest.Start(t, linktest.Options{})
		return doomed{command(t, append(faulty("run"), "-c", through(t, toxiproxy.URL))...), func(t *testing.T) {
			if n := toxiproxy.Proxies(); n != 0 {
				t.Errorf("%d proxies are left", n)
			}
		}}
	}},
	{"search", 3 * time.Second, func(t *testing.T) doomed {
		return doomed{process: command(t, "fuzz", "--operation", "create-ticket", "--cases", "200")}
	}},
	{"shards", 5 * time.Second, func(t *testing.T) doomed {
		return doomed{process: command(t, append(faulty("run"), "--jobs", "2")...)}
	}},
}

func faulty(verb string) []string {
	return []string{verb, "--pack", "crash", "--pack", "lost", "--operation", "create-ticket"}
}

// patient is the mock by hooks that can do all there is, and take it well when there is nothing to do it to.
func patient(t *testing.T) string {
	t.Helper()
	const quiet = `p=$(cat "$DIR/pid" 2>/dev/null) || exit 0; `
	text, err := os.ReadFile(hooked(t, "      kill: '"+quiet+"kill -9 $p 2>/dev/null; while kill -0 $p 2>/dev/null; do sleep 0.02; done'\n"+
		"      pause: '"+quiet+"kill -STOP $p'\n      resume: '"+quiet+"kill -CONT $p 2>/dev/null || true'\n"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `p=$(cat "$DIR/pid"); kill $p;`, quiet+"kill $p 2>/dev/null;", 1)
	if changed == string(text) {
		t.Fatal("the stop hook has another shape")
	}
	return file(t, "oncespec.yaml", changed)
}

// TestEndedAtAnyInstant: SIGINT and SIGKILL, at random instants, whatever the target. After the next start nothing is left of what
// was started, and the report is whole or absent.
func TestEndedAtAnyInstant(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	choose := rand.New(rand.NewPCG(seed, 0))
	for n := range *signals {
		how := doom[n%len(doom)]
		signal, after := syscall.SIGKILL, time.Duration(choose.Int64N(int64(how.longest)))
		if n/len(doom)%3 == 2 || *signals <= len(doom) && choose.IntN(3) == 0 {
			signal = syscall.SIGINT
		}
		t.Run(fmt.Sprintf("%d: %s, %v after %v", n, how.name, signal, after.Round(time.Millisecond)), func(t *testing.T) {
			endedAt(t, how.start(t), signal, after)
		})
	}
}

func endedAt(t *testing.T, p doomed, signal syscall.Signal, after time.Duration) {
	state, out := t.TempDir(), filepath.Join(t.TempDir(), "report")
	p.Args = append(p.Args, "--out", out)
	p.Env = append(p.Env, "XDG_STATE_HOME="+state)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { p.Process.Signal(signal) })
	defer timer.Stop()
	p.Wait() // it may also have been faster

	if _, err := os.Stat(out); err == nil {
		wholeOrAbsent(t, out)
	}
	if slices.Contains(p.Args, "--jobs") {
		alone(t, p.process) // the shards hear that nobody is there any more, and end by themselves
	}
	var next ended
	if signal != syscall.SIGINT { // that one tidies up itself
		start := command(t, "run", "-r", "replay/one-effect", "--operation", "create-ticket", "--out", filepath.Join(t.TempDir(), "report"))
		start.Env = append(start.Env, "XDG_STATE_HOME="+state)
		if err := start.Start(); err != nil {
			t.Fatal(err)
		}
		next = start.wait(t).want(t, 0)
	}
	if p.elsewhere != nil {
		p.elsewhere(t)
	}
	gone(t, p.tmp, state, next)
	if t.Failed() {
		t.Logf("what was ended said:\n%s%s", &p.out, &p.err)
	}
}

// alone waits until nobody else of a command line runs.
func alone(t *testing.T, p *process) {
	t.Helper()
	for end := time.Now().Add(generous); len(holding(t, p.tmp)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still there: %v", holding(t, p.tmp))
		}
	}
}
