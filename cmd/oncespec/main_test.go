package main_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/leaktest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// generous bounds one process: nothing is asserted about how long it takes, but it must end.
const generous = 2 * time.Minute

// binary is the command under test, built once.
var binary string

// inContainers is the command linked statically.
var inContainers func() (string, error)

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	if signal.Ignored(os.Interrupt) {
		// As jobs in the background of a script do. What is started would ignore it too; what is caught, it does not.
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	dir, err := os.MkdirTemp("", "cmd-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "oncespec")
	// Static where a linker can do it, so that containers run the same: to compile all without cgo takes a minute more.
	static := exec.Command("go", "build", "-ldflags", "-linkmode=external -extldflags=-static", "-o", binary, ".").Run() == nil
	if !static {
		if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
	}
	inContainers = sync.OnceValues(func() (string, error) {
		if static {
			return binary, nil
		}
		return withoutCgo(dir)
	})
	leaktest.AtOnce(8)
	return leaktest.Run(m)
}

// ended is what became of one command line.
type ended struct {
	code     int
	out, err string
}

// process is a command line that runs, with a temporary folder of its own.
type process struct {
	*exec.Cmd
	tmp      string
	out, err bytes.Buffer
}

// command prepares a command line. When its test is over nothing may be left of it.
func command(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	t.Cleanup(cancel)
	p := &process{Cmd: exec.CommandContext(ctx, binary, args...), tmp: t.TempDir()}
	p.Dir = t.TempDir()
	p.Env = append(os.Environ(), "TMPDIR="+p.tmp)
	p.Stdout, p.Stderr = &p.out, &p.err
	return p
}

// wait waits for a started process and holds it to what every command line owes its user: it ends by itself, shows no stack
// trace and, where nobody looks, no escape codes, and leaves neither files nor processes behind.
func (p *process) wait(t *testing.T) ended {
	t.Helper()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("oncespec %s: %v", strings.Join(p.Args[1:], " "), err)
	}
	e := ended{p.ProcessState.ExitCode(), p.out.String(), p.err.String()}
	if e.code < 0 {
		t.Fatalf("oncespec %s did not end by itself: %v\n%s", strings.Join(p.Args[1:], " "), err, e.err)
	}
	for name, text := range map[string]string{"stdout": e.out, "stderr": e.err} {
		if stackTrace.MatchString(text) {
			t.Errorf("%s holds a stack trace:\n%s", name, text)
		}
		if strings.Contains(text, "\x1b") {
			t.Errorf("%s is no terminal and holds escape codes:\n%q", name, text)
		}
	}
	left, err := os.ReadDir(p.tmp)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if f.Name() != portLocks {
			t.Errorf("%s was left in the temporary folder", f.Name())
		}
	}
	for _, who := range holding(t, p.tmp) {
		t.Errorf("a process was left: %s", who)
	}
	return e
}

// portLocks is a folder of empty files that all programs on a machine share, to hand out no port twice. It stays:
// whoever removed one could take another's port.
const portLocks = "oncespec-ports"

var stackTrace = regexp.MustCompile(`(?m)^goroutine \d+|\.go:\d+ \+0x|^panic:`)

// oncespec runs a command line to its end.
func oncespec(t *testing.T, args ...string) ended {
	t.Helper()
	p := command(t, args...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p.wait(t)
}

// want fails the test where the exit code is another one.
func (e ended) want(t *testing.T, code int) ended {
	t.Helper()
	if e.code != code {
		t.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", e.code, code, e.out, e.err)
	}
	return e
}

// says fails the test where one of the texts is missing on stderr.
func (e ended) says(t *testing.T, texts ...string) ended {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(e.err, text) {
			t.Errorf("stderr does not say %q:\n%s", text, e.err)
		}
	}
	return e
}

// holding lists the processes whose command line or environment names the folder: children inherit the temporary folder, and
// the mock is given its database there.
func holding(t *testing.T, dir string) (who []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, proc := range all {
		if filepath.Base(proc) == fmt.Sprint(os.Getpid()) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(proc, "environ"))
		if bytes.Contains(line, []byte(dir)) || bytes.Contains(env, []byte(dir)) {
			who = append(who, fmt.Sprintf("%s %s", filepath.Base(proc), bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
		}
	}
	return who
}

// file writes a file into a folder of the test and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// closedPort is an address that nobody listens on.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
