package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What the last run left is still there after a command line that was mistyped.
func TestAMistypedRunKeepsTheLastReport(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if p := command(t, "run", "-q", "-r", "key/required", "--operation", "create-ticket", "--out", out); p.Run() != nil {
		t.Fatal(p.err.String())
	}
	if p := command(t, "run", "-r", "key/requird", "--out", out); p.Run() == nil {
		t.Fatal("a mistyped requirement was taken")
	}
	for _, name := range []string{"plan.json", "report.json", "report.html"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}

// canon waits for standard input, and ends at once when it is told to.
func TestCanonIsInterrupted(t *testing.T) {
	t.Parallel()
	p := command(t, "canon")
	in, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: once it is written, canon reads.
	if _, err := in.Write([]byte(strings.Repeat(" ", 1<<20))); err != nil {
		t.Fatal(err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT {
		t.Errorf("expected the end by SIGINT, found %v", err)
	}
}
