package main_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link/linktest"
)

// gone waits a moment for the last process to end: what guards a target does so beside us. Where something stays, it tells
// what the start said that was to end it.
func gone(t *testing.T, tmp, state string, next ended) {
	t.Helper()
	var left []string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		left = holding(t, tmp)
		for _, pattern := range []string{filepath.Join(tmp, "*"), filepath.Join(state, "oncespec", "*")} {
			files, err := filepath.Glob(pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if filepath.Base(f) != portLocks {
					left = append(left, f)
				}
			}
		}
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("left behind: %s\nthe next start said:\n%s", strings.Join(left, "; "), next.err)
}

// wholeOrAbsent fails the test where a file is torn, or where the report is there in part.
func wholeOrAbsent(t *testing.T, dir string) {
	t.Helper()
	whole := map[string]func([]byte) error{
		".json": func(data []byte) error { return json.Unmarshal(data, new(any)) },
		".xml": func(data []byte) error {
			d := xml.NewDecoder(bytes.NewReader(data))
			for {
				if _, err := d.Token(); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
			}
		},
		".html": func(data []byte) error {
			if !bytes.HasSuffix(bytes.TrimSpace(data), []byte("</html>")) {
				return io.ErrUnexpectedEOF
			}
			return nil
		},
		".md": func(data []byte) error {
			if !bytes.HasSuffix(data, []byte("\n")) {
				return io.ErrUnexpectedEOF
			}
			return nil
		},
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		check := whole[filepath.Ext(path)]
		if err != nil || d.IsDir() || check == nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			if torn := check(data); torn != nil {
				t.Errorf("%s is torn: %v", path, torn)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.json")); err != nil {
		return
	}
	for _, name := range []string{"report.xml", "report.md", "report.html", "plan.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("report.json is there, but not all that goes with it: %v", err)
		}
	}
}

// testsReplay tells that a run says that it tests.
func testsReplay(line string) bool {
	return strings.Contains(line, "/") && strings.HasSuffix(line, " replay")
}

// killedAt starts a command line with that journal, and kills it once it says what is waited for.
func killedAt(t *testing.T, p *process, state string, at func(line string) bool) {
	t.Helper()
	sentAt(t, p, state, os.Kill, at)
}

func sentAt(t *testing.T, p *process, state string, signal os.Signal, at func(line string) bool) {
	t.Helper()
	p.Env = append(p.Env, "XDG_STATE_HOME="+state)
	p.startSignalled(t, signal, at)
	if err := p.Wait(); err == nil {
		t.Fatal("it was not ended")
	}
}

func nextStart(t *testing.T, state string) ended {
	t.Helper()
	next := command(t, "run", "-r", "replay/one-effect", "--operation", "create-ticket", "--out", filepath.Join(t.TempDir(), "report"))
	next.Env = append(next.Env, "XDG_STATE_HOME="+state)
	if err := next.Start(); err != nil {
		t.Fatal(err)
	}
	return next.wait(t).want(t, 0).says(t, "ending what a run that was killed left behind")
}

// A run that was killed leaves a container; the next one removes it, although it has none itself.
func TestNextStartRemovesAContainer(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	p := inContainer(t, "run", "--lifecycle", "container", "--pack", "replay", "--operation", "create-ticket", "--out", t.TempDir())
	killedAt(t, p, state, testsReplay)
	if left, err := life.Left(t.Context(), p.Process.Pid); err != nil || len(left) == 0 {
		t.Fatalf("there was nothing to remove: %v, %v", left, err)
	}
	next := nextStart(t, state)
	nothingOf(t, p)
	gone(t, p.tmp, state, next)
}

// nextStartRemovesProxies fails the test where a run left no proxy, or the next start leaves one.
func nextStartRemovesProxies(t *testing.T, p *process, state string, toxiproxy *linktest.Toxiproxy, before func()) {
	t.Helper()
	if toxiproxy.Proxies() == 0 {
		t.Fatal("there was nothing to remove")
	}
	before()
	next := nextStart(t, state)
	if n := toxiproxy.Proxies(); n != 0 {
		t.Errorf("%d proxies are left", n)
	}
	gone(t, p.tmp, state, next)
}

// A run that was killed leaves a proxy on somebody else's Toxiproxy; the next one removes it.
func TestNextStartRemovesARemoteProxy(t *testing.T) {
	t.Parallel()
	toxiproxy := linktest.Start(t, linktest.Options{})
	state := t.TempDir()
	p := command(t, "run", "-c", through(t, toxiproxy.URL), "--pack", "replay", "--operation", "create-ticket", "--out", t.TempDir())
	killedAt(t, p, state, testsReplay)
	nextStartRemovesProxies(t, p, state, toxiproxy, func() {})
}

// A Toxiproxy of somebody else's that does not answer while a run is interrupted keeps the run's proxy, and the run says so. The
// next start removes it.
func TestNextStartRemovesWhatAToxiproxyKept(t *testing.T) {
	t.Parallel()
	var hangs atomic.Bool
	over := make(chan struct{})
	toxiproxy := linktest.Start(t, linktest.Options{Front: func(routes http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete && hangs.Load() {
				<-over
				return
			}
			routes.ServeHTTP(w, r)
		})
	}})
	t.Cleanup(func() { close(over) })
	state := t.TempDir()
	p := command(t, "run", "-c", through(t, toxiproxy.URL), "--pack", "replay", "--operation", "create-ticket", "--out", t.TempDir())
	sentAt(t, p, state, os.Interrupt, func(line string) bool {
		if testsReplay(line) {
			hangs.Store(true)
			return true
		}
		return false
	})
	if code, said := p.ProcessState.ExitCode(), p.out.String(); code != 130 || !strings.Contains(said, "not all could be ended") || !strings.Contains(said, toxiproxy.URL) {
		t.Errorf("exit code %d, %s", code, said)
	}
	nextStartRemovesProxies(t, p, state, toxiproxy, func() { hangs.Store(false) })
}

// A search that was killed leaves what a run leaves, and the next one ends it.
func TestNextSearchEndsWhatASearchLeft(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	p := command(t, "fuzz", "--operation", "create-ticket", "--out", t.TempDir())
	killedAt(t, p, state, func(line string) bool { return strings.Contains(line, "search") })
	if left, _ := filepath.Glob(filepath.Join(state, "oncespec", "*")); len(left) == 0 {
		t.Fatal("there was nothing to end")
	}
	search := command(t, "fuzz", "--operation", "create-ticket", "--cases", "1", "--rewrite", "number/*", "--out", t.TempDir())
	search.Env = append(search.Env, "XDG_STATE_HOME="+state)
	if err := search.Start(); err != nil {
		t.Fatal(err)
	}
	next := search.wait(t).want(t, 0).says(t, "ending what a run that was killed left behind")
	gone(t, p.tmp, state, next)
}
