//go:build unix

package probe_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
)

func shell(t *testing.T, script string, within time.Duration) *probe.Probe {
	t.Helper()
	return only(t, config.Operation{}, config.Effect{Command: &config.CommandEffect{Run: []string{"sh", "-c", script, "sh", "{body:/title}"}, Within: within}})
}

func TestTheLinesOfACommandAreIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte(mine+" a\r\n"+other+" b\n\n"+mine+" a\r\n"+mine+" c"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := shell(t, `grep "$1" log`, generous)
	r := read(t, p, probe.Source{Dir: dir}, subject)
	if got, want := strings.Join(r.IDs, "|"), mine+" a|"+mine+" a|"+mine+" c"; r.Count != 3 || got != want {
		t.Errorf("%d lines %q, want %q", r.Count, got, want)
	}
	if r := read(t, shell(t, "true", generous), probe.Source{}, subject); r.Count != 0 {
		t.Errorf("nothing printed is %d effects", r.Count)
	}
}

func TestCommandsThatFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, want string }{
		{"with words", "echo one; echo went wrong >&2; exit 3", `expected exit code 0: exit status 3, which said "went wrong"`},
		{"with words on its output", "echo went wrong; exit 3", `exit status 3, which said "went wrong"`},
		{"without a word", "exit 1", "exit status 1, which said nothing"},
		{"with many words", "yes wrong | head -c 100000 >&2; echo last >&2; exit 1", `last"`},
		{"by a signal", "kill -9 $$", "expected exit code 0: signal: killed"},
		{"with output without end", "yes", "expected at most 4 MiB of lines, found more"},
		{"with lines without end", "seq 60000", "expected at most 50000 lines, found more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := tryRead(t, shell(t, c.script, generous), probe.Source{}, subject)
			if err == nil || !strings.HasPrefix(err.Error(), "probe command: command sh -c ") || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want an error with %q", err, c.want)
			}
			if len(err.Error()) > 2000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
	p := only(t, config.Operation{}, config.Effect{Command: &config.CommandEffect{Run: []string{"/nowhere/at-all", "{key}"}}})
	if _, err := tryRead(t, p, probe.Source{}, subject); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v, want an error: there is no such program", err)
	}
}

func TestACommandEndsWithAllThatItStarted(t *testing.T) {
	t.Parallel()
	// The pipe is open as long as anything that the command started lives.
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := mkfifo(fifo); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer close(gone)
		f, err := os.Open(fifo)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		one := make([]byte, 1)
		f.Read(one) // the grandchild lives
		cancel()
		f.Read(one) // and is gone
	}()
	p := shell(t, "(echo x; sleep 1000) >"+fifo+" & wait", generous)
	if _, err := p.Read(ctx, probe.Source{}, subject); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("%v, want an error: nobody waits any more", err)
	}
	select {
	case <-gone:
	case <-time.After(generous):
		t.Fatal("what the command started lives on")
	}
}

func TestACommandHasALimit(t *testing.T) {
	t.Parallel()
	_, err := tryRead(t, shell(t, "echo working >&2; sleep 1000", 200*time.Millisecond), probe.Source{}, subject)
	if err == nil || !strings.Contains(err.Error(), "expected it to end within 200ms, found it running") {
		t.Errorf("%v, want an error that names the limit", err)
	}
}
