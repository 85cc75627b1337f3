//go:build unix

package main_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// silentPipe is a file that never ends and never begins: a named pipe that nobody writes to.
func silentPipe(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("there are no named pipes here: ", err)
	}
	return path
}

// readerOf returns once somebody waits for the other end of a pipe.
func readerOf(t *testing.T, pipe string) {
	t.Helper()
	for end := time.Now().Add(generous); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if fd, err := syscall.Open(pipe, syscall.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			t.Cleanup(func() { syscall.Close(fd) })
			return
		}
	}
	t.Fatal("nobody reads the pipe")
}

// TestSignalsEndWhatReadsAPipe: reading what never comes is nothing to be tidied up after.
func TestSignalsEndWhatReadsAPipe(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run", "-c"}, {"run", "--jobs", "2", "-c"}, {"plan", "-c"}, {"fuzz", "-c"}, {"replay"}, {"canon"}} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(args[0]+" "+s.String(), func(t *testing.T) {
				t.Parallel()
				pipe := silentPipe(t, t.TempDir(), "pipe")
				p := command(t, append(args[:len(args):len(args)], pipe)...)
				if err := p.Start(); err != nil {
					t.Fatal(err)
				}
				readerOf(t, pipe)
				p.Process.Signal(s)
				p.Wait()
				if status := p.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != s {
					t.Errorf("%v, want it ended by %v\n%s", p.ProcessState, s, p.err.String())
				}
				if who := holding(t, p.tmp); len(who) > 0 {
					t.Errorf("left: %v", who)
				}
			})
		}
	}
}

// TestExit4PipeInACorpus: a case that cannot be read is refused, not waited for.
func TestExit4PipeInACorpus(t *testing.T) {
	t.Parallel()
	corpus := t.TempDir()
	silentPipe(t, corpus, "case.json")
	oncespec(t, "fuzz", "--corpus", corpus, "--operation", "create-ticket", "--out", t.TempDir()).want(t, 4).says(t, "case.json", "expected a file, found a pipe")
}
