package main_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestExit130Interrupted(t *testing.T) {
	t.Parallel()
	waits := file(t, "oncespec.yaml", strings.Replace(tickets("http://127.0.0.1:{port}"), "\n  tenants:",
		"\n  lifecycle: {process: {command: [sleep, \"600\"]}}\n  tenants:", 1))
	silent := file(t, "oncespec.yaml", tickets("http://"+never(t)))
	for _, c := range []struct {
		name  string
		args  []string
		begun string // the line after which the signal comes
		send  os.Signal
		again bool // and again, until it is over
	}{
		{"Ctrl-C in a scenario", nil, `^ *\d+/\d+ lost$`, os.Interrupt, false},
		{"SIGTERM in a scenario", nil, `^ *\d+/\d+ lost$`, syscall.SIGTERM, false},
		{"Ctrl-C again and again", nil, `^ *\d+/\d+ lost$`, os.Interrupt, true},
		{"Ctrl-C while the target comes up", []string{"-c", waits}, `^starting the target`, os.Interrupt, false},
		{"Ctrl-C in the steady state", []string{"-c", silent}, `^looking at the steady state`, os.Interrupt, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "report")
			p := command(t, append([]string{"run", "--pack", "lost", "--out", out}, c.args...)...)
			read, write := io.Pipe()
			p.Stderr = io.MultiWriter(&p.err, write)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			begun := make(chan bool, 1)
			go func() {
				defer io.Copy(io.Discard, read)
				pattern := regexp.MustCompile(c.begun)
				for lines := bufio.NewScanner(read); lines.Scan(); {
					if pattern.MatchString(lines.Text()) {
						begun <- true
						return
					}
				}
				begun <- false
			}()
			go func() {
				if !<-begun {
					return
				}
				for p.Process.Signal(c.send) == nil && c.again {
					time.Sleep(5 * time.Millisecond) // as fast as somebody types
				}
			}()
			p.wait(t).want(t, 130)
			write.Close()
			written(t, out)
			if r := report(t, out); r.Result != "interrupted" || r.Summary.Fail != 0 || r.Summary.Error != 0 {
				t.Errorf("result %q with %d fails and %d errors: %s", r.Result, r.Summary.Fail, r.Summary.Error, r.Verdicts)
			}
			if _, failures, _ := cases(t, out); failures != 0 {
				t.Errorf("report.xml has %d failures of what was never finished", failures)
			}
			oncespec(t, "judge", out).want(t, 130)
		})
	}
}

func TestTheMockEndsCleanlyWhenItIsAskedTo(t *testing.T) {
	t.Parallel()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := command(t, "mock", "--listen", "127.0.0.1:0", "--db", filepath.Join(t.TempDir(), "mock.db"))
		read, write := io.Pipe()
		p.Stderr = io.MultiWriter(&p.err, write)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(read)
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), "mock API at http://127.0.0.1:") {
			t.Fatalf("the mock does not say where it is: %q", lines.Text())
		}
		go io.Copy(io.Discard, read)
		p.Process.Signal(s)
		p.wait(t).want(t, 0)
		write.Close()
	}
}
